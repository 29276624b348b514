/** A version of Kubernetes as people and clouds write it: `1.34`, `1.34.1`, `v1.34.1`. */
interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
  /** Undefined where only the minor version is said. */
  readonly patch: number | undefined;
}

function parseKubernetesVersion(text: string): KubernetesVersion | undefined {
  const { major, minor, patch } = /^v?(?<major>\d+)\.(?<minor>\d+)(?:\.(?<patch>\d+))?/.exec(text)?.groups ?? {};
  if (major === undefined || minor === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), patch: patch === undefined ? undefined : Number(patch) };
}

/** Which of two versions is the later one: above 0 the first, below 0 the second; 0 where they are the same as far as both say, or one is none. */
export function compareKubernetesVersions(first: string, second: string): number {
  const [a, b] = [parseKubernetesVersion(first), parseKubernetesVersion(second)];
  if (a === undefined || b === undefined) return 0;
  const patches = a.patch === undefined || b.patch === undefined ? 0 : a.patch - b.patch;
  return a.major - b.major || a.minor - b.minor || patches;
}

/** The version on the way from one to a later one that lies more than one minor away: clusters rise one minor at a time. Undefined: it is reached at once. */
export function nextKubernetesVersion(running: string, wanted: string): string | undefined {
  const [from, to] = [parseKubernetesVersion(running), parseKubernetesVersion(wanted)];
  if (from === undefined || to?.major !== from.major || to.minor - from.minor < 2) return undefined;
  return `${from.major}.${from.minor + 1}`;
}
