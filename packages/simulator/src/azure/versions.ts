/** The Kubernetes versions that simulated AKS offers, newest first. */
export const offeredVersions = ["1.35.0", "1.34.2", "1.33.6", "1.32.10"];
