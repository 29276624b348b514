import type { FindingJson } from "@cloudwright/api-client";
import type { Column } from "../output/table.ts";

export const findingColumns: readonly Column<FindingJson>[] = [
  { title: "FIELD", value: ({ field = "" }) => field },
  { title: "SEVERITY", value: ({ severity }) => severity || "must" },
  { title: "FINDING", value: ({ message = "", rule = "" }) => (rule === "" ? message : `${message} (${rule})`) },
  { title: "WHAT TO DO", value: ({ help = "" }) => help },
];

/** Returns true if a finding blocks the change. Policy findings can also be warnings or informational. */
export function isObstacle({ severity }: FindingJson): boolean {
  return severity !== "should" && severity !== "may";
}
