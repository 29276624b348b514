import type { AnyEntity, EventJson, KindName, ProjectWatchEvent, Stored } from "@cloudwright/api-client";

/** How the stream is doing. */
export type LiveStatus = "connecting" | "live" | "reconnecting";

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
  /** Why there is nothing to follow: the project does not exist, or is not for this caller. */
  readonly refusal?: unknown;
}

/** The entities of a project as one stream tells of them: the only copy in the page. */
export interface LiveStore {
  read(): LiveState;
  subscribe(listener: () => void): () => void;
  /** Takes what the stream says; listeners hear of it at the next flush. */
  take(event: ProjectWatchEvent): void;
  setStatus(status: LiveStatus): void;
  /** Takes the answer that there is nothing to follow. */
  refuse(refusal: unknown): void;
  /** Tells listeners what came since the last time, as one change. */
  flush(): void;
}

const mostEvents = 200;

/** Builds the store of one project. Changes are gathered, so that a thousand of them are one new picture. */
export function createLiveStore(project: string, schedule: (flush: () => void) => void): LiveStore {
  let state: LiveState = { project, status: "connecting", synced: false, kinds: {}, events: [] };
  const listeners = new Set<() => void>();
  const pending = new Map<KindName, Map<string, Stored<AnyEntity>>>();
  let events: EventJson[] = [];
  let change: Partial<LiveState> = {};
  let isScheduled = false;
  const store: LiveStore = {
    read: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    take(event) {
      if (event.type === "SYNCED") change = { ...change, synced: true, status: "live", refusal: undefined };
      else if (event.kind === "Event") events.push(event.object as EventJson);
      else {
        const kind = event.kind as KindName;
        const object = event.object as Stored<AnyEntity>;
        const map = pending.get(kind) ?? new Map(state.kinds[kind]);
        pending.set(kind, map);
        if (event.type === "DELETED") map.delete(object.metadata.uid);
        else map.set(object.metadata.uid, object);
      }
      later();
    },
    setStatus(status) {
      change = { ...change, status };
      later();
    },
    refuse(refusal) {
      change = { ...change, refusal };
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
