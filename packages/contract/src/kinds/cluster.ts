import type { KindDeclaration } from "./kind.ts";

export const defaultPodCidr = "192.168.0.0/16";
export const defaultServiceCidr = "10.96.0.0/12";

export const cluster = {
  kind: "Cluster",
  collection: "clusters",
  words: ["cluster", "kubernetes", "k8s"],
  scope: "project",
  provisioned: true,
  hasDriftChecks: true,
  references: [
    { kind: "Network", field: "network", many: false, owning: true },
    // A cluster that the platform did not create belongs to its account.
    { kind: "Account", field: "existing.account", many: false, owning: true },
  ],
  cloud: "inherited",
  labelsAreTags: true,
  hasRemovalPreview: true,
  hasClaimVolumes: true,
  versionField: "version",
  allows: ["replace", "delete", "removed-apis"],
} as const satisfies KindDeclaration;

/** Returns whether a cluster's spec says that the platform did not create the cluster. Such a cluster is never deleted in the cloud. */
export function isExistingCluster(spec: Readonly<Record<string, unknown>>): boolean {
  return typeof spec["existing"] === "object" && spec["existing"] !== null;
}
