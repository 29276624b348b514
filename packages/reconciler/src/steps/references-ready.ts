import { getKind } from "@cloudwright/contract";
import type { Ancestor, Linked } from "../engine/scope.ts";
import type { Step } from "../engine/step.ts";

const usable = new Set(["RUNNING", "DEGRADED"]);

/**
 * Waits until the owner and all linked entities are usable: RUNNING or DEGRADED. Entities that may refer to each other do not wait for one
 * another.
 */
export const referencesReady: Step = {
  name: "parents",
  condition: "ParentsReady",
  weight: 0,
  decide({ entity, above, links }) {
    const { references } = getKind(entity.kind);
    const others = links.filter(({ field }) => references.find((each) => each.field === field)?.isMutual !== true);
    const waiting = [...above.slice(0, 1), ...others].find((referenced) => !usable.has(stateOf(referenced)));
    if (waiting === undefined) return { do: "continue" };
    const { kind, object } = waiting;
    const message = `waiting for ${kind} "${object.metadata.name ?? ""}", which is ${stateOf(waiting)}`;
    return { do: "wait", reason: "ParentNotReady", message };
  },
};

function stateOf({ object: { metadata, status } }: Ancestor | Linked): string {
  if (metadata.deletedAt !== undefined) return "DELETING";
  return typeof status["phase"] === "string" ? status["phase"] : "";
}
