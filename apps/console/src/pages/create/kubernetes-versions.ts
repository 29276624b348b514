/** Versions to choose from, newest first; any other can be typed, and a look ahead says whether the cloud has it. */
export const kubernetesVersions: readonly string[] = ["1.35", "1.34", "1.33", "1.32", "1.31", "1.30"];

/** The minor of a version, or 0: `34` of `1.34` and of `v1.34.2`. */
export function minorOf(version: string): number {
  return Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? 0);
}

/** The minors that an upgrade goes over, the last one included: it goes one at a time. */
export function listSteps(from: string, to: string): string[] {
  const [first, last] = [minorOf(from), minorOf(to)];
  return first === 0 || last <= first ? [] : Array.from({ length: last - first }, (_, index) => `1.${first + index + 1}`);
}
