import type { KindDeclaration } from "./kind.ts";

export const environment = {
  kind: "Environment",
  collection: "environments",
  words: ["environment", "env"],
  scope: "project",
  provisioned: false,
  references: [],
  outsideEnvironments: true,
} as const satisfies KindDeclaration;
