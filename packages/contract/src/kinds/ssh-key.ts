import type { KindDeclaration } from "./kind.ts";

export const sshKey = {
  kind: "SshKey",
  collection: "sshkeys",
  words: ["sshkey"],
  scope: "project",
  provisioned: false,
  references: [],
} as const satisfies KindDeclaration;
