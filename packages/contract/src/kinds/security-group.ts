import type { KindDeclaration } from "./kind.ts";

export const securityGroup = {
  kind: "SecurityGroup",
  collection: "securitygroups",
  words: ["securitygroup", "sg"],
  scope: "project",
  provisioned: true,
  hasDriftChecks: true,
  references: [
    { kind: "Network", field: "network", many: false, owning: true },
    { kind: "SecurityGroup", field: "rules.group", many: true, owning: false, isMutual: true, selfWord: "self" },
  ],
  labelsAreTags: true,
  hasRemovalPreview: true,
} as const satisfies KindDeclaration;
