import type { AnyEntity, Stored, WatchEvent } from "./entity.ts";

interface Told<Entity> {
  readonly kind: string;
  readonly object: Stored<Entity>;
}

/**
 * Tracks the entities that a watch has already delivered. Prevents duplicates if the watch lists all entities again or receives a change
 * again.
 */
export interface KnownEntities<Entity> {
  /** Yields the change, or nothing if it was already delivered. */
  take(change: Told<Entity> & { readonly type: string }): Generator<WatchEvent<Entity>>;
  beginListing(): void;
  /** Yields a DELETED change for every known entity that is missing from the new list. */
  endListing(): Generator<WatchEvent<Entity>>;
  isListing(): boolean;
}

export function createKnownEntities<Entity extends AnyEntity>(): KnownEntities<Entity> {
  const told = new Map<string, Told<Entity>>();
  let listed: Set<string> | undefined;
  return {
    *take({ type, kind, object }) {
      // A project's stream also contains events. They are not tracked, because an event occurs once and never changes.
      if (kind === "Event") return yield { type: "ADDED", kind, object } as never;
      const { uid, resourceVersion } = object.metadata;
      const before = told.get(uid)?.object.metadata.resourceVersion;
      listed?.add(uid);
      if (type === "DELETED") {
        told.delete(uid);
        yield { type, kind, object } as WatchEvent<Entity>;
      } else if (before !== resourceVersion) {
        told.set(uid, { kind, object });
        yield { type: before === undefined ? type : "MODIFIED", kind, object } as WatchEvent<Entity>;
      }
    },
    beginListing() {
      listed = new Set();
    },
    *endListing() {
      const gone = [...told].filter(([uid]) => listed?.has(uid) === false);
      listed = undefined;
      for (const [uid, event] of gone) {
        told.delete(uid);
        yield { type: "DELETED", ...event } as WatchEvent<Entity>;
      }
    },
    isListing: () => listed !== undefined,
  };
}
