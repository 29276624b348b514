import type { KindDeclaration } from "./kind.ts";

export const nodePool = {
  kind: "NodePool",
  collection: "nodepools",
  words: ["nodepool", "pool"],
  scope: "project",
  provisioned: true,
  references: [{ kind: "Cluster", field: "path", many: false, owning: true }],
  builtByOwnerAs: "nodePools",
  hasRemovalPreview: true,
  labelsAreTags: true,
  allows: ["replace", "delete"],
} as const satisfies KindDeclaration;
