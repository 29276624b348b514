import type { KindDeclaration } from "./kind.ts";

export const storage = {
  kind: "Storage",
  collection: "storages",
  words: ["storage"],
  scope: "project",
  provisioned: true,
  hasDriftChecks: true,
  references: [{ kind: "Cluster", field: "cluster", many: false, owning: true }],
  labelsAreTags: true,
  hasRemovalPreview: true,
  allows: ["replace", "delete"],
} as const satisfies KindDeclaration;
