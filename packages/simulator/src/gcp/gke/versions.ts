/** The Kubernetes versions that simulated GKE offers, newest first. */
export const offeredVersions = ["1.35.1-gke.1000000", "1.34.3-gke.1000000", "1.33.6-gke.1000000", "1.32.10-gke.1000000"];

/** The newest version in each release channel. Clusters that do not request a version get it. */
export const channelVersions: Readonly<Record<string, string>> = {
  RAPID: "1.35.1-gke.1000000",
  REGULAR: "1.35.1-gke.1000000",
  STABLE: "1.34.3-gke.1000000",
  EXTENDED: "1.34.3-gke.1000000",
  UNSPECIFIED: "1.35.1-gke.1000000",
};

/** Finds the newest offered version for a full version or the start of one, such as `1.34`. */
export function findVersion(version: string): string | undefined {
  return offeredVersions.find(
    (offered) => offered === version || offered.startsWith(`${version}.`) || offered.startsWith(`${version}-`),
  );
}

/** Returns the minor number: 34 for `1.34.3-gke.1000000`. */
export function minorOf(version: string): number {
  return Number(version.split(".")[1] ?? Number.NaN);
}
