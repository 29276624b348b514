import { getCloud } from "@cloudwright/contract/clouds";

/** Versions that only the extended release channel offers. Real GKE no longer supports them. */
const extended: Readonly<Record<string, number>> = { "1.29": 15, "1.30": 14, "1.31": 14 };

/** The Kubernetes versions that simulated GKE offers, newest first. */
export const offeredVersions: readonly string[] = Object.entries({ ...extended, ...getCloud("gcp").kubernetesPatches })
  .map(([version, patch]) => `${version}.${patch}-gke.1000000`)
  .toReversed();

/** The newest version in each release channel. A cluster that does not request a version gets the newest one in its channel. */
export const channelVersions: Readonly<Record<string, string>> = {
  RAPID: "1.35.1-gke.1000000",
  REGULAR: "1.35.1-gke.1000000",
  STABLE: "1.34.3-gke.1000000",
  EXTENDED: "1.34.3-gke.1000000",
  UNSPECIFIED: "1.35.1-gke.1000000",
};

/** Lists the versions that a release channel offers, newest first. */
export function listChannelVersions(channel: string): readonly string[] {
  const newest = minorOf(channelVersions[channel] ?? "");
  return offeredVersions.filter(
    (version) => minorOf(version) <= newest && (channel === "EXTENDED" || !Object.hasOwn(extended, `1.${minorOf(version)}`)),
  );
}

/** Finds the newest offered version that equals the given version or has it as a prefix, such as `1.34`. */
export function findVersion(version: string): string | undefined {
  return offeredVersions.find(
    (offered) => offered === version || offered.startsWith(`${version}.`) || offered.startsWith(`${version}-`),
  );
}

/** Returns the minor version number, such as 34 for `1.34.3-gke.1000000`. */
export function minorOf(version: string): number {
  return Number(version.split(".")[1] ?? Number.NaN);
}
