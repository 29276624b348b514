import type { QueryClient } from "@tanstack/react-query";
import type { LiveState, LiveStore } from "./live-store.ts";

const gatherMs = 250;

/** What is asked for rather than streamed, and the kind whose changes say that it is no longer what it was. */
const stale: Readonly<Record<string, readonly string[]>> = {
  Operation: ["runs", "run", "plan", "timeline", "tasks", "logs", "states", "state", "drifts", "simulation", "events"],
  Account: ["drifts", "events"],
  Network: ["drifts", "events"],
  Cluster: ["drifts", "events"],
  Storage: ["drifts", "events"],
  Environment: ["environments"],
  RoleBinding: ["permissions"],
};

/** Has queries asked again when the stream says that what they answered has changed. Gives back how to stop that. */
export function followWithQueries(store: LiveStore, queries: QueryClient, project: string): () => void {
  let before: LiveState = store.read();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const touched = new Set<string>();
  const ask = (): void => {
    timer = undefined;
    const names = new Set([...touched].flatMap((kind) => stale[kind] ?? []));
    touched.clear();
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === project && names.has(String(queryKey[0])) });
  };
  const stop = store.subscribe(() => {
    const now = store.read();
    if (before.synced) {
      for (const kind of Object.keys(stale)) {
        if (now.kinds[kind as never] !== before.kinds[kind as never]) touched.add(kind);
      }
      if (now.status === "live" && before.status === "reconnecting") Object.keys(stale).forEach((kind) => touched.add(kind));
    }
    before = now;
    if (touched.size > 0) timer ??= setTimeout(ask, gatherMs);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
