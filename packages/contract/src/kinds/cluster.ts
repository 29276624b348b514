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
  references: [{ kind: "Network", field: "network", many: false, owning: true }],
  cloud: "inherited",
  labelsAreTags: true,
  hasRemovalPreview: true,
  hasClaimVolumes: true,
  versionField: "version",
  allows: ["replace", "delete", "removed-apis"],
} as const satisfies KindDeclaration;
