import type { KindDeclaration } from "./kind.ts";

export const roleBinding = {
  kind: "RoleBinding",
  collection: "rolebindings",
  words: ["rolebinding", "role"],
  scope: "project",
  provisioned: false,
  // A role binding is owned by its project but is meaningless without its user, so it is deleted with the user.
  references: [{ kind: "User", field: "user", many: false, owning: false, defaultsToCaller: true, onDelete: "cascade" }],
} as const satisfies KindDeclaration;
