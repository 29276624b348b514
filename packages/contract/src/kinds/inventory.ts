import type { KindDeclaration } from "./kind.ts";

export const inventory = {
  kind: "Inventory",
  collection: "inventories",
  words: ["inventory"],
  scope: "project",
  provisioned: true,
  hasDriftChecks: true,
  references: [
    { kind: "Account", field: "account", many: false, owning: true },
    { kind: "SshKey", field: "sshKey", many: false, owning: false, lendsSecrets: true },
  ],
} as const satisfies KindDeclaration;
