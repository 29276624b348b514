/** The Kubernetes versions that simulated GKE offers, newest first. */
export const offeredVersions = ["1.35.1-gke.1000000", "1.34.3-gke.1000000", "1.33.6-gke.1000000", "1.32.10-gke.1000000"];

/** The newest version in each release channel. A cluster that does not request a version gets the newest one in its channel. */
export const channelVersions: Readonly<Record<string, string>> = {
  RAPID: "1.35.1-gke.1000000",
  REGULAR: "1.35.1-gke.1000000",
  STABLE: "1.34.3-gke.1000000",
  EXTENDED: "1.34.3-gke.1000000",
  UNSPECIFIED: "1.35.1-gke.1000000",
};

/** Finds the newest offered version that equals the given one or starts with it, for example with `1.34`. */
export function findVersion(version: string): string | undefined {
  return offeredVersions.find(
    (offered) => offered === version || offered.startsWith(`${version}.`) || offered.startsWith(`${version}-`),
  );
}

/** Returns the minor version number, such as 34 for `1.34.3-gke.1000000`. */
export function minorOf(version: string): number {
  return Number(version.split(".")[1] ?? Number.NaN);
}
