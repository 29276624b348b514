import type { CliKind } from "./cli-kind.ts";
import { writableVerbs } from "./verbs.ts";

export const roleBinding: CliKind<"RoleBinding"> = {
  verbs: writableVerbs,
  columns: [
    ["USER", ({ spec }) => spec?.user],
    ["ROLE", ({ spec }) => spec?.role],
    ["ENVIRONMENT", ({ metadata }) => metadata.environment || "*"],
  ],
  createExamples: ["cloud rolebinding create ann-edits --user ann --role editor"],
  progress: "none",
};
