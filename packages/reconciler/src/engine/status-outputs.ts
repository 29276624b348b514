import { isObject } from "@cloudwright/platform";
import { hasAction, type Json, type JsonObject } from "@cloudwright/contract";
import { findOutputs } from "./decide-idle.ts";
import type { Scope } from "./scope.ts";

/**
 * Returns the outputs for the status: those of the last run, updated by later access, add-on and host key tasks, including tasks that are still
 * running.
 */
export function findStatusOutputs(scope: Scope): JsonObject | undefined {
  const built = findOutputs(scope);
  if (built === undefined) return undefined;
  const all: JsonObject = { ...built };
  for (const { type, state, outcome, progress } of scope.tasks) {
    // Access and add-on tasks also report outputs while they run and when they fail.
    if (!hasAction(type, "access", "addOns", "readHostKeys")) continue;
    if (outcome !== null && outcome.state !== "cancelled") Object.assign(all, outcome.result ?? {});
    if (state !== "leased" || progress?.outputs === undefined) continue;
    for (const [field, value] of Object.entries(progress.outputs)) all[field] = bring(all[field], value);
  }
  return all;
}

/** Merges the partial outputs of a running task. List items are matched by name; items that the task does not report stay unchanged. */
function bring(former: Json | undefined, now: Json): Json {
  if (!Array.isArray(former) || !Array.isArray(now)) return now;
  const byName = (list: readonly Json[]): [Json, Json][] => list.map((each) => [nameOf(each), each]);
  return [...new Map([...byName(former), ...byName(now)]).values()];
}

function nameOf(thing: Json): Json {
  return isObject(thing) ? (thing["name"] ?? thing) : thing;
}
