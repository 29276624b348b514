/** A Kubernetes version that AKS offers. */
export interface OfferedVersion {
  /** The minor version, such as `1.34`. */
  readonly version: string;
  readonly patch: string;
}

/** The versions that simulated AKS offers, oldest first. AKS accepts a minor version instead of a patch version. */
export const offeredVersions: readonly OfferedVersion[] = [
  { version: "1.32", patch: "1.32.10" },
  { version: "1.33", patch: "1.33.6" },
  { version: "1.34", patch: "1.34.2" },
  { version: "1.35", patch: "1.35.0" },
];

/** The minor version for clusters that do not request a version. As in AKS, it is one behind the newest. */
export const defaultVersion: string = offeredVersions.at(-2)?.version ?? "";

/** Finds an offered version by its minor or patch version. */
export function findVersion(text: string): OfferedVersion | undefined {
  return offeredVersions.find(({ version, patch }) => version === text || patch === text);
}

/** Returns the minor version number, such as 34 for `1.34` or `1.34.2`. */
export function minorOf(version: string): number {
  return Number(version.split(".")[1] ?? Number.NaN);
}
