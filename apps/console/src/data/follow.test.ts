import type { ProjectWatchEvent } from "@cloudwright/api-client";
import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followWithQueries } from "./follow.ts";
import { createLiveStore } from "./live-store.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const entity = (kind: string, uid: string, conditions: object[] = []): ProjectWatchEvent =>
  ({ type: "MODIFIED", kind, object: { metadata: { name: uid, uid }, status: { conditions } } }) as never;

function follow() {
  const queries = new QueryClient();
  const keys = [["drifts"], ["runs"], ["permissions"], ["events", "n1"], ["events", "n2"], ["events", ""]].map(
    ([name = "", ...rest]) => [name, "default", ...rest],
  );
  keys.push(["session"]);
  for (const queryKey of keys) queries.setQueryData(queryKey, []);
  const store = createLiveStore("default", (flush) => flush());
  store.take(entity("Network", "n1"));
  store.take({ type: "SYNCED" });
  followWithQueries(store, queries, "default");
  /** Returns the names of the queries that the given changes invalidate. */
  const after = (...changes: readonly ProjectWatchEvent[]): string[] => {
    for (const queryKey of keys) queries.setQueryData(queryKey, []);
    for (const change of changes) store.take(change);
    vi.advanceTimersByTime(1000);
    return keys.filter((key) => queries.getQueryState(key)?.isInvalidated).map(([name, , ...rest]) => [name, ...rest].join("/"));
  };
  return { store, after };
}

test("X002 a change to an entity invalidates only the queries about it", () => {
  const { store, after } = follow();
  const drifted = (message: string): ProjectWatchEvent => entity("Network", "n1", [{ type: "Drifted", status: "True", message }]);
  expect(after(entity("Network", "n1"))).toEqual([]);
  expect(after(drifted("one"))).toEqual(["drifts"]);
  expect(after(drifted("one"))).toEqual([]);
  expect(after(drifted("two"))).toEqual(["drifts"]);
  expect(after({ ...drifted("two"), type: "DELETED" } as never)).toEqual(["drifts"]);
  expect(after({ type: "ADDED", kind: "Event", object: { uid: "e1", entityUid: "n1" } })).toEqual(["events/n1"]);
  expect(after({ type: "ADDED", kind: "Event", object: { uid: "e2", entityUid: "n2" } })).toEqual(["events/n2"]);
  expect(after(entity("RoleBinding", "b"))).toEqual(["permissions"]);
  expect(after(entity("Operation", "o"))).toEqual(["drifts", "runs"]);
  store.setStatus("reconnecting");
  store.resume();
  expect(after()).toEqual(["drifts", "runs", "permissions", "events/n1", "events/n2", "events/", "session"]);
});
