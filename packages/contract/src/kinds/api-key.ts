import type { KindDeclaration } from "./kind.ts";

export const apiKey = {
  kind: "ApiKey",
  collection: "apikeys",
  words: ["apikey", "key"],
  scope: "global",
  provisioned: false,
  references: [{ kind: "User", field: "user", many: false, owning: true, defaultsToCaller: true }],
} as const satisfies KindDeclaration;
