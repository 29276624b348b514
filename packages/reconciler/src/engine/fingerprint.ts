import { taskKey } from "@cloudwright/tasks";
import { findNextVersion } from "./next-version.ts";
import { groupParts } from "./parts.ts";
import type { Scope } from "./scope.ts";

/**
 * Returns a hash of everything that an entity's runs depend on: its generation, its parts, and the outputs of the entities it references.
 */
export function renderFingerprint(scope: Scope): string {
  const { entity, parts, above, links } = scope;
  const version = findNextVersion(scope);
  return taskKey({
    generation: entity.object.metadata.generation ?? 0,
    ...groupParts(parts, ({ uid, generation, retries }) => [uid, generation, retries]),
    above: above.map(({ uid, outputs }) => [uid, outputs]),
    ...(links.length === 0 ? {} : { links: links.map(({ uid, outputs }) => [uid, outputs]) }),
    // A stepwise upgrade needs a separate run for each intermediate version.
    ...(version === undefined ? {} : { version }),
  });
}
