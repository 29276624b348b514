import { Fault } from "@cloudwright/platform";
import type { EntityRow } from "@cloudwright/store";
import { parseEntity } from "../calls/trace-call.ts";
import { apiFaults } from "../faults.ts";
import { rulesOf } from "../kinds/rules.ts";

/** Returns whether the entity describes something that the platform did not create. Such entities are released, never deleted. */
export function isForeign({ kind, object }: Pick<EntityRow, "kind" | "object">): boolean {
  const { isForeign: decide } = rulesOf(kind);
  return decide !== undefined && decide(parseEntity(object).spec);
}

/**
 * Throws if the deletion would include an entity that the platform did not create. This applies to every deletion, including cascading and
 * forced deletions and the deletion of an account, environment or project.
 */
export function refuseNotCreatedHere(root: EntityRow, subtree: readonly EntityRow[]): void {
  const foreign = subtree.filter(isForeign);
  const [first] = foreign;
  if (first === undefined) return;
  if (first.uid === root.uid)
    throw new Fault(apiFaults.not_created_here, `the platform did not create ${root.kind} "${root.name}" and will not delete it`);
  const named = foreign.slice(0, 5).map(({ kind, name }) => `${kind} "${name}"`);
  const more = foreign.length > 5 ? ` and ${foreign.length - 5} more` : "";
  const message = `${root.kind} "${root.name}" contains entities that the platform did not create and will not delete: ${named.join(", ")}${more}`;
  throw new Fault(apiFaults.not_created_here, message);
}
