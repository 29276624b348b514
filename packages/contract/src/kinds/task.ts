import type { KindDeclaration } from "./kind.ts";

export const task = {
  kind: "Task",
  collection: "tasks",
  words: ["task"],
  scope: "project",
  provisioned: false,
  references: [],
  isRecord: true,
  hasPlainList: true,
} as const satisfies KindDeclaration;
