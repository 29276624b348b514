import type { KindDeclaration } from "./kind.ts";

export const agent = {
  kind: "Agent",
  collection: "agents",
  words: ["agent"],
  scope: "project",
  provisioned: false,
  references: [],
} as const satisfies KindDeclaration;
