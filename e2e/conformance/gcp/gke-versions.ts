import { Refusal, type Resource } from "./reply.ts";

const offered = ["1.32.9-gke.1548000", "1.33.5-gke.1308000", "1.34.1-gke.2037000"];

/** Returns the versions that GKE offers. */
export function listVersions(): Resource {
  const versions = offered.toReversed();
  const channels = ["RAPID", "REGULAR", "STABLE", "EXTENDED"];
  return {
    defaultClusterVersion: "1.33.5-gke.1308000",
    validMasterVersions: versions,
    validNodeVersions: versions,
    defaultImageType: "COS_CONTAINERD",
    validImageTypes: ["COS_CONTAINERD", "UBUNTU_CONTAINERD"],
    channels: channels.map((channel) => ({ channel, defaultVersion: "1.33.5-gke.1308000", validVersions: versions })),
  };
}

/** Returns the full version for a prefix such as `1.33`. For an empty string, `-` or `latest`, GKE chooses the version. */
export function resolveVersion(asked: string): string {
  if (asked === "" || asked === "-") return "1.33.5-gke.1308000";
  const found = asked === "latest" ? offered.at(-1) : offered.find((each) => each === asked || each.startsWith(`${asked}.`));
  if (found === undefined) throw new Refusal(400, `Master version "${asked}" is unsupported.`);
  return found;
}
