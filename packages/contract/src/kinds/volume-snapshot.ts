import type { KindDeclaration } from "./kind.ts";

// The spec names the volume, but this is no reference: a reference would prevent the deletion of the volume, which snapshots outlive.
export const volumeSnapshot = {
  kind: "VolumeSnapshot",
  collection: "volumesnapshots",
  words: ["snapshot"],
  scope: "project",
  provisioned: true,
  hasDriftChecks: true,
  references: [{ kind: "Account", field: "account", many: false, owning: true }],
  hasRemovalPreview: true,
} as const satisfies KindDeclaration;
