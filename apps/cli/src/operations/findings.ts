import type { FindingJson } from "@cloudwright/api-client";
import type { Column } from "../output/table.ts";

/** Columns for preflight findings. */
export const findingColumns: readonly Column<FindingJson>[] = [
  { title: "FIELD", value: ({ field = "" }) => field },
  { title: "SEVERITY", value: ({ severity }) => severity || "must" },
  { title: "FOUND", value: ({ message = "", rule = "" }) => (rule === "" ? message : `${message} (${rule})`) },
  { title: "WHAT TO DO", value: ({ help = "" }) => help },
];

/** Returns whether a finding prevents the change. Policies may also only warn or inform. */
export function isObstacle({ severity }: FindingJson): boolean {
  return severity !== "should" && severity !== "may";
}
