import type { AnyEntity, Stored, WatchEvent } from "./entity.ts";

interface Told<Entity> {
  readonly kind: string;
  readonly object: Stored<Entity>;
}

/** What the reader of a watch was told, so that a second list, or changes sent twice, tell only what is new. */
export interface KnownEntities<Entity> {
  /** The change as the reader should hear it; nothing when it is known. */
  take(change: Told<Entity> & { readonly type: string }): Generator<WatchEvent<Entity>>;
  beginListing(): void;
  /** What is known but was not in the list, as DELETED. */
  endListing(): Generator<WatchEvent<Entity>>;
  isListing(): boolean;
}

export function createKnownEntities<Entity extends AnyEntity>(): KnownEntities<Entity> {
  const told = new Map<string, Told<Entity>>();
  let listed: Set<string> | undefined;
  return {
    *take({ type, kind, object }) {
      // Events of a project come in its stream too. They are no entities: they happen once and never change.
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
