/** A Kubernetes version as users and clouds write it: `1.34`, `1.34.1`, `v1.34.1`. */
interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
  /** Undefined if only the minor version is given. */
  readonly patch: number | undefined;
}

function parseKubernetesVersion(text: string): KubernetesVersion | undefined {
  const { major, minor, patch } = /^v?(?<major>\d+)\.(?<minor>\d+)(?:\.(?<patch>\d+))?/.exec(text)?.groups ?? {};
  if (major === undefined || minor === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), patch: patch === undefined ? undefined : Number(patch) };
}

/**
 * Compares two versions. Positive if the first is later, negative if the second is. 0 if they are equal up to the precision of
 * both, or if one is not a version.
 */
export function compareKubernetesVersions(first: string, second: string): number {
  const [a, b] = [parseKubernetesVersion(first), parseKubernetesVersion(second)];
  if (a === undefined || b === undefined) return 0;
  const patches = a.patch === undefined || b.patch === undefined ? 0 : a.patch - b.patch;
  return a.major - b.major || a.minor - b.minor || patches;
}

/**
 * Returns the next version on the path to a later one, because clusters can only be upgraded by one minor version at a time.
 * Undefined if the target can be reached directly.
 */
export function nextKubernetesVersion(running: string, wanted: string): string | undefined {
  const [from, to] = [parseKubernetesVersion(running), parseKubernetesVersion(wanted)];
  if (from === undefined || to?.major !== from.major || to.minor - from.minor < 2) return undefined;
  return `${from.major}.${from.minor + 1}`;
}
