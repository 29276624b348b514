import { Fault, type AnyEntity, type EntityByKind, type EventJson, type KindName, type Stored } from "@cloudwright/api-client";
import { useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from "react";
import { client } from "./client.ts";
import { createLiveStore, type KindMap, type LiveState, type LiveStore } from "./live-store.ts";
import { followWithQueries } from "./follow.ts";
import { watchWakeUp } from "./watch-wake-up.ts";

const flushMs = 40;
/** How long a hidden tab keeps its connection. Browsers allow only six connections per server. */
const letGoMs = 5 * 60_000;

const LiveContext = createContext<LiveStore | undefined>(undefined);

/** Opens one stream per tab for all kinds in a project and provides the live entities to its children. */
export function LiveProvider({ project, children }: { readonly project: string; readonly children: ReactNode }): ReactNode {
  const queries = useQueryClient();
  const store = useMemo(() => createLiveStore(project, (flush) => setTimeout(flush, flushMs)), [project]);
  const [isWanted, setWanted] = useState(true);
  const [wakings, setWakings] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const check = (): void => {
      clearTimeout(timer);
      if (document.visibilityState === "visible") setWanted(true);
      else timer = setTimeout(() => setWanted(false), letGoMs);
    };
    document.addEventListener("visibilitychange", check);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", check);
    };
  }, []);
  useEffect(() => watchWakeUp(() => setWakings((count) => count + 1)), []);
  useEffect(() => {
    if (!isWanted || wakings > 0) store.setStatus("reconnecting");
    if (!isWanted) return undefined;
    const stop = new AbortController();
    const unfollow = followWithQueries(store, queries, project);
    void run(store, project, stop.signal);
    return () => {
      stop.abort();
      unfollow();
    };
  }, [store, project, queries, isWanted, wakings]);
  return <LiveContext value={store}>{children}</LiveContext>;
}

const refusals = new Set(["not_found", "denied", "invalid"]);

/** Follows the stream until the page is closed. The API client resumes broken streams. A denied stream is not retried. */
async function run(store: LiveStore, project: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    store.begin();
    try {
      const onReconnect = (): void => store.setStatus("reconnecting");
      const stream = client.watchProject(project, { signal, onReconnect, onOpen: () => store.resume() });
      for await (const event of stream) {
        if (signal.aborted) return;
        store.take(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Fault && refusals.has(error.kind)) return store.refuse(error);
      store.setStatus("reconnecting");
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

const nothing: LiveState = { project: "", status: "connecting", synced: false, kinds: {}, events: [], refusal: undefined };
const unsubscribed = (): (() => void) => () => undefined;

/** Returns the selected part of the live state. The component re-renders only when that part changes. */
export function useLive<Part>(select: (state: LiveState) => Part): Part {
  const store = useContext(LiveContext);
  const read = (): Part => select(store?.read() ?? nothing);
  return useSyncExternalStore(store?.subscribe ?? unsubscribed, read, read);
}

const lists = new WeakMap<KindMap, readonly Stored<AnyEntity>[]>();
const none: readonly Stored<AnyEntity>[] = [];

/** Returns all entities of a kind, sorted by name. */
export function useEntities<Name extends KindName>(kind: Name): readonly Stored<EntityByKind[Name]>[] {
  const map = useLive((state) => state.kinds[kind]);
  return (map === undefined ? none : listOf(map)) as readonly Stored<EntityByKind[Name]>[];
}

function listOf(map: KindMap): readonly Stored<AnyEntity>[] {
  const known = lists.get(map);
  if (known !== undefined) return known;
  const list = [...map.values()].toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  lists.set(map, list);
  return list;
}

/**
 * Returns one entity by name. For a node pool, the name of its cluster is also required. Returns undefined while loading, and null if the
 * entity does not exist.
 */
export function useEntity<Name extends KindName>(
  kind: Name,
  name: string,
  parent?: string,
): Stored<EntityByKind[Name]> | null | undefined {
  const synced = useLive((state) => state.synced);
  const found = useEntities(kind).find(
    ({ metadata }) => metadata.name === name && (parent === undefined || metadata.parent === parent),
  );
  return found ?? (synced ? null : undefined);
}

/** Returns the events received since the page was opened, newest first. */
export function useLiveEvents(): readonly EventJson[] {
  return useLive((state) => state.events);
}
