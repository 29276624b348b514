import { getCloud, type CloudName } from "@cloudwright/contract/clouds";

/** Suggested versions, newest first. Users can enter other versions. A preflight check then verifies that the cloud offers them. */
export const kubernetesVersions: readonly string[] = ["1.35", "1.34", "1.33", "1.32", "1.31", "1.30"];

/** Returns the Kubernetes versions that a cloud offers, newest first. */
export function listOffered(cloud: CloudName): readonly string[] {
  return getCloud(cloud).kubernetesVersions?.toReversed() ?? kubernetesVersions;
}

/** Returns the minor version, such as 34 for `1.34` and `v1.34.2`. Returns 0 if there is none. */
export function minorOf(version: string): number {
  return Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? 0);
}

/** Lists the minor versions that an upgrade passes through, including the target version. */
export function listSteps(from: string, to: string): string[] {
  const [first, last] = [minorOf(from), minorOf(to)];
  return first === 0 || last <= first ? [] : Array.from({ length: last - first }, (_, index) => `1.${first + index + 1}`);
}
