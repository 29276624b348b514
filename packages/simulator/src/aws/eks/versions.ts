/** A Kubernetes version that EKS offers. */
export interface OfferedVersion {
  readonly version: string;
  readonly patch: string;
  readonly status: "STANDARD_SUPPORT" | "EXTENDED_SUPPORT";
  readonly released: string;
  readonly endOfStandard: string;
  readonly endOfExtended: string;
}

/**
 * The versions that simulated EKS offers, oldest first. The last one is the default. The dates follow the EKS calendar: 14 months of
 * standard and 12 months of extended support. Real EKS no longer supports the oldest two.
 */
export const offeredVersions: readonly OfferedVersion[] = [
  offer("1.29", 15, "2024-01-23", "EXTENDED_SUPPORT"),
  offer("1.30", 14, "2024-05-23", "EXTENDED_SUPPORT"),
  offer("1.31", 13, "2024-09-26", "EXTENDED_SUPPORT"),
  offer("1.32", 9, "2025-01-23", "EXTENDED_SUPPORT"),
  offer("1.33", 5, "2025-05-29", "EXTENDED_SUPPORT"),
  offer("1.34", 2, "2025-10-02", "STANDARD_SUPPORT"),
  offer("1.35", 1, "2026-01-27", "STANDARD_SUPPORT"),
];

/** The default for clusters that do not request a version. */
export const defaultVersion: string = offeredVersions.at(-1)?.version ?? "";

/** Finds an offered version by its name, such as `1.34`. */
export function findVersion(version: string): OfferedVersion | undefined {
  return offeredVersions.find((each) => each.version === version);
}

/** Returns the minor number: 34 for `1.34`. */
export function minorOf(version: string): number {
  return Number(version.split(".")[1] ?? Number.NaN);
}

/** The newest version of each add-on, as a function of the Kubernetes minor version. */
const addons: Readonly<Record<string, (minor: number) => string>> = {
  "vpc-cni": () => "v1.20.4-eksbuild.1",
  coredns: (minor) => (minor >= 33 ? "v1.12.4-eksbuild.1" : "v1.11.4-eksbuild.24"),
  "kube-proxy": (minor) => `v1.${minor}.${(findVersion(`1.${minor}`)?.patch ?? "1.0.0").split(".")[2] ?? "0"}-eksbuild.2`,
  "aws-ebs-csi-driver": () => "v1.51.0-eksbuild.1",
  "aws-efs-csi-driver": () => "v2.1.13-eksbuild.1",
  "eks-pod-identity-agent": () => "v1.3.9-eksbuild.3",
  "metrics-server": () => "v0.8.0-eksbuild.3",
  "snapshot-controller": () => "v8.3.0-eksbuild.1",
  "eks-node-monitoring-agent": () => "v1.4.1-eksbuild.1",
  "amazon-cloudwatch-observability": () => "v4.5.0-eksbuild.1",
  adot: () => "v0.131.0-eksbuild.1",
};

/** Returns the names of all add-ons. */
export function listAddons(): readonly string[] {
  return Object.keys(addons);
}

/** Returns the newest version of an add-on for a Kubernetes version, or undefined if EKS has no such add-on. */
export function findAddonVersion(name: string, version: string): string | undefined {
  return Object.hasOwn(addons, name) ? addons[name]?.(minorOf(version)) : undefined;
}

/** Returns whether a string has the format of an EKS add-on version. */
export function isAddonVersion(text: string): boolean {
  return /^v\d+\.\d+\.\d+(-[a-z.0-9]+)*$/.test(text);
}

function offer(version: string, patch: number, released: string, status: OfferedVersion["status"]): OfferedVersion {
  const later = (months: number): string => {
    const date = new Date(released);
    date.setUTCMonth(date.getUTCMonth() + months);
    return date.toISOString();
  };
  const endOfStandard = later(14);
  return { version, patch: `${version}.${patch}`, status, released: later(0), endOfStandard, endOfExtended: later(26) };
}
