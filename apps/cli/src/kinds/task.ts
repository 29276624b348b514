import { renderLabels } from "../output/labels.ts";
import type { CliKind } from "./cli-kind.ts";

export const task: CliKind<"Task"> = {
  verbs: ["list", "get", "describe", "logs"],
  columns: [
    ["TYPE", ({ spec }) => spec?.type],
    ["ENTITY", ({ spec }) => `${spec?.entityKind ?? ""}/${spec?.entityName ?? ""}`],
    ["ATTEMPT", ({ status }) => status?.attempt ?? 0],
    ["AGENT", ({ status }) => status?.agent],
    ["OPERATION", ({ spec }) => spec?.operation, "wide"],
    ["REQUIRED LABELS", ({ spec }) => renderLabels(spec?.placement), "wide"],
  ],
  progress: "state",
  order: "server",
};
