/** The Kubernetes versions that simulated GKE offers, newest first. */
export const offeredVersions = ["1.35.1-gke.1000000", "1.34.3-gke.1000000", "1.33.6-gke.1000000", "1.32.10-gke.1000000"];
