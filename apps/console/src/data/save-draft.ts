import { Fault } from "@cloudwright/api-client";

/** The maximum number of times a draft is sent again because the status changed between two requests. Status changes are seconds apart. */
const mostTries = 5;

/**
 * Saves a draft of an entity. Running operations and drift checks change the entity's version at any time, even between rendering the page
 * and receiving the request. Such a change is not a conflict, so the draft is sent again with the new version. It is a conflict only if a
 * user has changed the fields that the draft is based on.
 */
export async function saveDraft<Entity extends { readonly metadata: { readonly resourceVersion: string } }>(steps: {
  readonly version: string;
  readonly update: (version: string) => Promise<unknown>;
  readonly get: () => Promise<Entity>;
  readonly isUnchanged: (stored: Entity) => boolean;
}): Promise<void> {
  let { version } = steps;
  for (let tries = 1; ; tries++) {
    try {
      await steps.update(version);
      return;
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "store.stale" || tries === mostTries) throw error;
      const stored = await steps.get();
      if (!steps.isUnchanged(stored)) throw error;
      version = stored.metadata.resourceVersion;
    }
  }
}
