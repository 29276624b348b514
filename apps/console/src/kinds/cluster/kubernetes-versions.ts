/** Suggested versions, newest first. Users can type others; preflight checks whether the cloud offers them. */
export const kubernetesVersions: readonly string[] = ["1.35", "1.34", "1.33", "1.32", "1.31", "1.30"];

/** Returns the minor version or 0: `34` for `1.34` and for `v1.34.2`. */
export function minorOf(version: string): number {
  return Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? 0);
}

/** Lists the minor versions of an upgrade including the last. An upgrade passes through each of them. */
export function listSteps(from: string, to: string): string[] {
  const [first, last] = [minorOf(from), minorOf(to)];
  return first === 0 || last <= first ? [] : Array.from({ length: last - first }, (_, index) => `1.${first + index + 1}`);
}
