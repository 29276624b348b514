import type { KindDeclaration } from "./kind.ts";

export const instance = {
  kind: "Instance",
  collection: "instances",
  words: ["instance"],
  scope: "project",
  provisioned: true,
  hasDriftChecks: true,
  references: [
    { kind: "Network", field: "network", many: false, owning: true },
    { kind: "Account", field: "account", many: false, owning: false },
    { kind: "SshKey", field: "sshKeys", many: true, owning: false },
    { kind: "SecurityGroup", field: "securityGroups", many: true, owning: false },
    { kind: "Inventory", field: "inventory", many: false, owning: true, lendsSecrets: true },
  ],
  labelsAreTags: true,
  hasRemovalPreview: true,
  allows: ["replace", "delete"],
} as const satisfies KindDeclaration;
