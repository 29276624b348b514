import type { AnyEntity, EventJson, KindName, ProjectWatchEvent, Stored } from "@cloudwright/api-client";

/** How the stream is doing. */
export type LiveStatus = "connecting" | "live" | "reconnecting" | "refused";

/** Every entity of one kind, by uid; a new map after each change. */
export type KindMap = ReadonlyMap<string, Stored<AnyEntity>>;

/** What the console knows of a project at one moment. */
export interface LiveState {
  readonly project: string;
  readonly status: LiveStatus;
  /** Everything that existed when the stream began has arrived. */
  readonly synced: boolean;
  readonly kinds: Readonly<Partial<Record<KindName, KindMap>>>;
  /** What happened while the page was open, newest first. */
  readonly events: readonly EventJson[];
  /** Why the server does not show the project, when it does not. */
  readonly refusal: unknown;
}

/** The entities of a project as one stream tells of them: the only copy in the page. */
export interface LiveStore {
  read(): LiveState;
  subscribe(listener: () => void): () => void;
  /** Takes what the stream says; listeners hear of it at the next flush. */
  take(event: ProjectWatchEvent): void;
  setStatus(status: LiveStatus): void;
  /** A stream is open again that goes on where the last one broke. */
  resume(): void;
  /** A stream begins that tells of everything once more; what it has not told of by SYNCED is gone. */
  begin(): void;
  /** The server does not show the project, or not any more. */
  refuse(fault: unknown): void;
  /** Tells listeners what came since the last time, as one change. */
  flush(): void;
}

const mostEvents = 200;

/** Builds the store of one project. Changes are gathered, so that a thousand of them are one new picture. */
export function createLiveStore(project: string, schedule: (flush: () => void) => void): LiveStore {
  let state: LiveState = { project, status: "connecting", synced: false, kinds: {}, events: [], refusal: undefined };
  const listeners = new Set<() => void>();
  const pending = new Map<KindName, Map<string, Stored<AnyEntity>>>();
  let events: EventJson[] = [];
  let change: Partial<LiveState> = {};
  let isScheduled = false;
  /** Uids that the stream has told of since it began; undefined once it has told of everything. */
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
      // One that begins anew is live when it has told of everything.
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
