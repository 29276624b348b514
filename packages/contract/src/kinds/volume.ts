import type { KindDeclaration } from "./kind.ts";

export const volume = {
  kind: "Volume",
  collection: "volumes",
  words: ["volume"],
  scope: "project",
  provisioned: true,
  hasDriftChecks: true,
  references: [
    { kind: "Account", field: "account", many: false, owning: true },
    { kind: "Instance", field: "instance", many: false, owning: false },
  ],
  labelsAreTags: true,
  hasRemovalPreview: true,
} as const satisfies KindDeclaration;
