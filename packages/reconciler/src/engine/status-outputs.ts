import { isObject } from "@cloudwright/platform";
import { hasAction, type Json, type JsonObject } from "@cloudwright/contract";
import { findOutputs } from "./decide-idle.ts";
import type { Scope } from "./scope.ts";

/** Returns the outputs that fill the status: those of the last run, and of later tasks that work in the cluster, finished or running. */
export function findStatusOutputs(scope: Scope): JsonObject | undefined {
  const built = findOutputs(scope);
  if (built === undefined) return undefined;
  const all: JsonObject = { ...built };
  for (const { type, state, outcome, progress } of scope.tasks) {
    // These tasks also report outputs while they run and when they fail.
    if (!hasAction(type, "access", "addOns")) continue;
    if (outcome !== null && outcome.state !== "cancelled") Object.assign(all, outcome.result ?? {});
    if (state !== "leased" || progress?.outputs === undefined) continue;
    for (const [field, value] of Object.entries(progress.outputs)) all[field] = bring(all[field], value);
  }
  return all;
}

/** Merges the outputs of a running task. They are partial: items of a list that they do not name stay unchanged. */
function bring(former: Json | undefined, now: Json): Json {
  if (!Array.isArray(former) || !Array.isArray(now)) return now;
  const byName = (list: readonly Json[]): [Json, Json][] => list.map((each) => [nameOf(each), each]);
  return [...new Map([...byName(former), ...byName(now)]).values()];
}

function nameOf(thing: Json): Json {
  return isObject(thing) ? (thing["name"] ?? thing) : thing;
}
