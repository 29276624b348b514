import { taskKey } from "@cloudwright/tasks";
import { findNextVersion } from "./next-version.ts";
import { groupParts } from "./parts.ts";
import type { Scope } from "./scope.ts";

/** Returns a hash of everything that an entity's runs depend on: its own generation, its parts, and the outputs of what it references. */
export function renderFingerprint(scope: Scope): string {
  const { entity, parts, above, links } = scope;
  const version = findNextVersion(scope);
  return taskKey({
    generation: entity.object.metadata.generation ?? 0,
    ...groupParts(parts, ({ uid, generation, retries }) => [uid, generation, retries]),
    above: above.map(({ uid, outputs }) => [uid, outputs]),
    ...(links.length === 0 ? {} : { links: links.map(({ uid, outputs }) => [uid, outputs]) }),
    // Each version of a stepwise upgrade needs a run of its own. The last one is the spec's.
    ...(version === undefined ? {} : { version }),
  });
}
