/** A Kubernetes version as users and clouds write it: `1.34`, `1.34.1` or `v1.34.1`. */
interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
  /** Undefined if the version has no patch number. */
  readonly patch: number | undefined;
}

function parseKubernetesVersion(text: string): KubernetesVersion | undefined {
  const { major, minor, patch } = /^v?(?<major>\d+)\.(?<minor>\d+)(?:\.(?<patch>\d+))?/.exec(text)?.groups ?? {};
  if (major === undefined || minor === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), patch: patch === undefined ? undefined : Number(patch) };
}

/**
 * Returns a positive number if the first version is later and a negative one if the second is. Returns 0 if the parts that both versions
 * specify are equal, or if either argument is not a version.
 */
export function compareKubernetesVersions(first: string, second: string): number {
  const [a, b] = [parseKubernetesVersion(first), parseKubernetesVersion(second)];
  if (a === undefined || b === undefined) return 0;
  const patches = a.patch === undefined || b.patch === undefined ? 0 : a.patch - b.patch;
  return a.major - b.major || a.minor - b.minor || patches;
}

/**
 * Returns the next intermediate version on the way to `wanted`, or undefined if one step is enough. Clusters can be upgraded by only one
 * minor version at a time.
 */
export function nextKubernetesVersion(running: string, wanted: string): string | undefined {
  const [from, to] = [parseKubernetesVersion(running), parseKubernetesVersion(wanted)];
  if (from === undefined || to?.major !== from.major || to.minor - from.minor < 2) return undefined;
  return `${from.major}.${from.minor + 1}`;
}

/** Result of comparing a node's version with the version of the control plane. */
export type KubeletSkew = "supported" | "too-old" | "too-new" | "unknown";

/** First minor version of the control plane that supports nodes three minor versions older. Earlier ones support two. */
const threeOlderSince = 28;

/**
 * Checks whether a control plane supports a kubelet's version. The kubelet may be up to three minor versions older (two before 1.28), but
 * never newer. Patch versions do not matter. Returns `unknown` if either argument is not a version.
 */
export function findKubeletSkew(controlPlane: string, kubelet: string): KubeletSkew {
  const [server, node] = [parseKubernetesVersion(controlPlane), parseKubernetesVersion(kubelet)];
  if (server === undefined || node === undefined) return "unknown";
  const isSame = server.major === node.major;
  if (node.major > server.major || (isSame && node.minor > server.minor)) return "too-new";
  const older = server.minor >= threeOlderSince ? 3 : 2;
  return isSame && server.minor - node.minor <= older ? "supported" : "too-old";
}

/** Returns whether the desired version is at least one minor version later than the running one. */
export function isMinorUpgrade(running: string, desired: string): boolean {
  const [from, to] = [parseKubernetesVersion(running), parseKubernetesVersion(desired)];
  if (from === undefined || to === undefined) return false;
  return to.major > from.major || (to.major === from.major && to.minor > from.minor);
}
