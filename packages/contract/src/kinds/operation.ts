import type { KindDeclaration } from "./kind.ts";

export const operation = {
  kind: "Operation",
  collection: "operations",
  words: ["operation", "op"],
  scope: "project",
  provisioned: false,
  references: [],
  isRecord: true,
} as const satisfies KindDeclaration;
