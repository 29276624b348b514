import { nextRunOutput } from "@cloudwright/contract";
import type { JsonObject } from "../task.ts";

/**
 * Returns the description of the further run that an apply requests, or undefined if the operation ends. A request that equals the
 * previous apply's request is ignored. Otherwise the operation would never end, although another run would not change anything. `former`
 * contains the outputs of the previous apply.
 */
export function findNextRun(status: Readonly<Record<string, unknown>>, former: JsonObject): string | undefined {
  const next = status[nextRunOutput];
  return typeof next === "string" && next !== "" && next !== former[nextRunOutput] ? next : undefined;
}
