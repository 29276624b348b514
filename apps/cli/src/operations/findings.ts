import type { FindingJson } from "@cloudwright/api-client";
import type { Column } from "../output/table.ts";

/** What a look ahead found, a line each. */
export const findingColumns: readonly Column<FindingJson>[] = [
  { title: "FIELD", value: ({ field = "" }) => field },
  { title: "SEVERITY", value: ({ severity }) => severity || "must" },
  { title: "FOUND", value: ({ message = "", rule = "" }) => (rule === "" ? message : `${message} (${rule})`) },
  { title: "WHAT TO DO", value: ({ help = "" }) => help },
];

/** Whether it cannot be made as it is; policies also warn and tell. */
export function isObstacle({ severity }: FindingJson): boolean {
  return severity !== "should" && severity !== "may";
}
