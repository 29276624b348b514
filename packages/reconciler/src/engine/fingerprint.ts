import { taskKey } from "@cloudwright/tasks";
import type { Scope } from "./scope.ts";
import { findVersionOnTheWay } from "./version-on-the-way.ts";

/** A hash of what an entity's runs depend on: its own generation, its node pools, and what lies above it produced. */
export function renderFingerprint(scope: Scope): string {
  const { entity, nodePools, above } = scope;
  const version = findVersionOnTheWay(scope);
  return taskKey({
    generation: entity.object.metadata.generation ?? 0,
    nodePools: nodePools.map(({ uid, generation, retries }) => [uid, generation, retries]),
    above: above.map(({ uid, outputs }) => [uid, outputs]),
    // Each version on the way is a run of its own; the last one is that of the spec itself.
    ...(version === undefined ? {} : { version }),
  });
}
