import type { KindDeclaration } from "./kind.ts";

export const backend = {
  kind: "Backend",
  collection: "backends",
  words: ["backend"],
  scope: "global",
  provisioned: false,
  references: [],
} as const satisfies KindDeclaration;
