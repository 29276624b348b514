import type { AnyEntity } from "@cloudwright/api-client";
import { kinds } from "@cloudwright/contract/kinds";
import type { QueryClient } from "@tanstack/react-query";
import type { KindMap, LiveState, LiveStore } from "./live-store.ts";
import { isNested } from "./paths.ts";

const gatherMs = 250;

/** The queries to refetch when an entity of a kind changes, because the stream does not carry their data. */
const stale: Readonly<Record<string, readonly string[]>> = {
  Operation: ["runs", "run", "plan", "timeline", "tasks", "logs", "states", "state", "drifts", "simulation"],
  Environment: ["environments"],
  RoleBinding: ["permissions"],
};

/** Queries whose data belongs to the user rather than to a project. After a reconnect, a different user may be signed in. */
const personal: ReadonlySet<string> = new Set(["session", "whoami", "projects", "apikeys"]);

/** Kinds whose cloud resources can drift. Drift in a nested kind, such as NodePool, is reported for its parent. */
const drifting = kinds.filter(({ kind, provisioned }) => provisioned && !isNested(kind)).map(({ kind }) => kind);

/** Refetches queries when the stream reports that their data has changed. Returns a function that stops refetching. */
export function followWithQueries(store: LiveStore, queries: QueryClient, project: string): () => void {
  let before: LiveState = store.read();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const names = new Set<string>();
  /** Uids of the entities that have new events. */
  const entities = new Set<string>();
  const ask = (): void => {
    timer = undefined;
    const [stales, happened] = [new Set(names), new Set(entities)];
    names.clear();
    entities.clear();
    void queries.invalidateQueries({
      predicate: ({ queryKey: [name, of, uid] }) =>
        (of === project || personal.has(String(name))) &&
        (stales.has(String(name)) || (name === "events" && happened.has(String(uid)))),
    });
  };
  const stop = store.subscribe(() => {
    const now = store.read();
    if (before.synced) {
      for (const [kind, asked] of Object.entries(stale)) {
        if (now.kinds[kind as never] !== before.kinds[kind as never]) asked.forEach((name) => names.add(name));
      }
      if (drifting.some((kind) => isDriftChanged(before.kinds[kind], now.kinds[kind]))) names.add("drifts");
      for (const event of newEvents(before, now)) entities.add(event.entityUid ?? "");
      if (now.status === "live" && before.status === "reconnecting") {
        [...Object.values(stale).flat(), "events", ...personal].forEach((name) => names.add(name));
      }
    }
    before = now;
    if (names.size + entities.size > 0) timer ??= setTimeout(ask, gatherMs);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}

/** Returns the events added since `before`. Events are sorted newest first. */
function newEvents(before: LiveState, now: LiveState): LiveState["events"] {
  const [newest] = before.events;
  const at = newest === undefined ? -1 : now.events.indexOf(newest);
  return at < 0 ? now.events : now.events.slice(0, at);
}

/** Returns whether the drift condition of any entity has changed. Most entity changes do not affect it. */
function isDriftChanged(before: KindMap | undefined, now: KindMap | undefined): boolean {
  if (before === now || before === undefined || now === undefined) return false;
  for (const [uid, entity] of now) {
    const known = before.get(uid);
    if (known !== entity && driftOf(known) !== driftOf(entity)) return true;
  }
  return [...before].some(([uid, entity]) => !now.has(uid) && driftOf(entity) !== "");
}

function driftOf(entity: AnyEntity | undefined): string {
  const condition = entity?.status?.conditions?.find(({ type, status }) => type === "Drifted" && status !== "False");
  return condition === undefined ? "" : JSON.stringify(condition);
}
