import { getCloud } from "@cloudwright/contract/clouds";

/** A Kubernetes version that AKS offers. */
export interface OfferedVersion {
  /** The minor version, such as `1.34`. */
  readonly version: string;
  readonly patch: string;
  /** Whether AKS offers the version only with long-term support. */
  readonly isLongTerm: boolean;
}

/** Versions with long-term support, and their patches. Real AKS no longer offers the oldest two. */
const longTerm: Readonly<Record<string, number>> = { "1.29": 15, "1.30": 14, "1.31": 13 };

/** The versions that simulated AKS offers, oldest first. AKS accepts a minor version instead of a patch version. */
export const offeredVersions: readonly OfferedVersion[] = Object.entries({
  ...longTerm,
  ...getCloud("azure").kubernetesPatches,
}).map(([version, patch]) => ({ version, patch: `${version}.${patch}`, isLongTerm: Object.hasOwn(longTerm, version) }));

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
