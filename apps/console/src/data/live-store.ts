import type { AnyEntity, EventJson, KindName, ProjectWatchEvent, Stored } from "@cloudwright/api-client";

/** The state of the connection to the stream. */
export type LiveStatus = "connecting" | "live" | "reconnecting" | "refused";

/** All entities of one kind, keyed by uid. Each change creates a new map. */
export type KindMap = ReadonlyMap<string, Stored<AnyEntity>>;

/** A snapshot of a project's live data. */
export interface LiveState {
  readonly project: string;
  readonly status: LiveStatus;
  /** True once the stream has sent all entities that existed when it started. */
  readonly synced: boolean;
  readonly kinds: Readonly<Partial<Record<KindName, KindMap>>>;
  /** Events received since the page was opened, newest first. */
  readonly events: readonly EventJson[];
  /** The error with which the server denied access to the project, if any. */
  readonly refusal: unknown;
}

/** Stores the entities of a project as received from the stream. The page keeps no other copy. */
export interface LiveStore {
  read(): LiveState;
  subscribe(listener: () => void): () => void;
  /** Applies a stream event. Listeners are notified at the next flush. */
  take(event: ProjectWatchEvent): void;
  setStatus(status: LiveStatus): void;
  /** Marks the stream as live after it has resumed from its last position. */
  resume(): void;
  /** Starts a full resync. Entities that the stream does not resend before the SYNCED event are removed. */
  begin(): void;
  /** Records that the server denied access to the project. */
  refuse(fault: unknown): void;
  /** Notifies listeners once of all changes since the last flush. */
  flush(): void;
}

const mostEvents = 200;

/** Creates the store of one project. Changes are batched, so a burst of a thousand changes triggers a single update. */
export function createLiveStore(project: string, schedule: (flush: () => void) => void): LiveStore {
  let state: LiveState = { project, status: "connecting", synced: false, kinds: {}, events: [], refusal: undefined };
  const listeners = new Set<() => void>();
  const pending = new Map<KindName, Map<string, Stored<AnyEntity>>>();
  let events: EventJson[] = [];
  let change: Partial<LiveState> = {};
  let isScheduled = false;
  /** The uids received since the resync started. Undefined once the stream is in sync. */
  let told: Set<string> | undefined = new Set();
  const mapOf = (kind: KindName): Map<string, Stored<AnyEntity>> => {
    const map = pending.get(kind) ?? new Map(state.kinds[kind]);
    pending.set(kind, map);
    return map;
  };
  const forgetUntold = (): void => {
    for (const kind of new Set([...(Object.keys(state.kinds) as KindName[]), ...pending.keys()])) {
      const known = pending.get(kind) ?? state.kinds[kind] ?? new Map<string, never>();
      const gone = [...known.keys()].filter((uid) => told?.has(uid) === false);
      for (const uid of gone) mapOf(kind).delete(uid);
    }
    told = undefined;
  };
  const store: LiveStore = {
    read: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    take(event) {
      if (event.type === "SYNCED") {
        forgetUntold();
        change = { ...change, synced: true, status: "live" };
      } else if (event.kind === "Event") events.push(event.object as EventJson);
      else {
        const object = event.object as Stored<AnyEntity>;
        const { uid } = object.metadata;
        const map = mapOf(event.kind as KindName);
        told?.add(uid);
        if (event.type === "DELETED") map.delete(uid);
        else map.set(uid, object);
      }
      later();
    },
    setStatus(status) {
      change = { ...change, status };
      later();
    },
    resume() {
      // During a resync, the stream becomes live only once it is in sync.
      if (told === undefined) store.setStatus("live");
    },
    begin: () => void (told = new Set()),
    refuse(refusal) {
      change = { ...change, status: "refused", refusal };
      later();
    },
    flush() {
      isScheduled = false;
      const newest = events.length === 0 ? state.events : [...events.toReversed(), ...state.events].slice(0, mostEvents);
      state = { ...state, ...change, kinds: { ...state.kinds, ...Object.fromEntries(pending) }, events: newest };
      pending.clear();
      events = [];
      change = {};
      for (const listener of listeners) listener();
    },
  };
  function later(): void {
    if (isScheduled) return;
    isScheduled = true;
    schedule(() => store.flush());
  }
  return store;
}
