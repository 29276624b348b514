import type { Json, JsonObject } from "@cloudwright/contract";

export interface ConditionWish {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** Sets conditions, replacing those of the same type. A condition's transition time changes only when its status changes. */
export function setConditions(before: Json, wishes: readonly ConditionWish[], at: string, generation: number): JsonObject[] {
  const list = (Array.isArray(before) ? before : []) as JsonObject[];
  const set = new Map(list.map((condition) => [condition["type"], condition]));
  for (const { type, status, reason, message } of wishes) {
    const old = set.get(type);
    const lastTransitionAt = old?.["status"] === status ? (old["lastTransitionAt"] ?? at) : at;
    set.set(type, { type, status, reason, message, lastTransitionAt, observedGeneration: generation });
  }
  return [...set.values()];
}

export function listConditions(status: JsonObject): JsonObject[] {
  return (status["conditions"] ?? []) as JsonObject[];
}

/** Returns whether a status has a condition of the given type with one of the given statuses. */
export function hasCondition(status: JsonObject, type: string, states: readonly ConditionWish["status"][]): boolean {
  return listConditions(status).some(
    (condition) => condition["type"] === type && states.some((state) => state === condition["status"]),
  );
}
