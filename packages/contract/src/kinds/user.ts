import type { KindDeclaration } from "./kind.ts";

export const user = {
  kind: "User",
  collection: "users",
  words: ["user"],
  scope: "global",
  provisioned: false,
  references: [],
} as const satisfies KindDeclaration;
