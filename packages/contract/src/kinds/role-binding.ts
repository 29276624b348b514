import type { KindDeclaration } from "./kind.ts";

export const roleBinding = {
  kind: "RoleBinding",
  collection: "rolebindings",
  words: ["rolebinding", "role"],
  scope: "project",
  provisioned: false,
  // The binding belongs to its project; without the user it means nothing, so it is deleted with the user.
  references: [{ kind: "User", field: "user", many: false, owning: false, defaultsToCaller: true, onDelete: "cascade" }],
} as const satisfies KindDeclaration;
