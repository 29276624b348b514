import { systemProject } from "@cloudwright/contract/kinds";
import { renderLabels } from "../output/labels.ts";
import type { CliKind } from "./cli-kind.ts";
import { writableVerbs } from "./verbs.ts";

export const agent: CliKind<"Agent"> = {
  verbs: [...writableVerbs, "drain", "undrain", "join-token"],
  columns: [
    ["VERSION", ({ status }) => status?.version],
    ["DRAINING", ({ spec }) => (spec?.draining === true ? "yes" : "no")],
    ["TASKS", ({ status }) => status?.runningTasks ?? 0],
    ["LAST SEEN", ({ status }) => status?.lastSeenAt],
    ["PLACEMENT LABELS", ({ status }) => renderLabels(status?.labels), "wide"],
    ["TASK TYPES", ({ status }) => (status?.types ?? []).join(","), "wide"],
  ],
  emptyHint: `agents in project ${systemProject} serve every project (cloud agent list -p ${systemProject})`,
};
