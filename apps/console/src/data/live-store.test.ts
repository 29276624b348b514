import type { ProjectWatchEvent } from "@cloudwright/api-client";
import { expect, test } from "vitest";
import { createLiveStore, type LiveStore } from "./live-store.ts";

const event = (type: "ADDED" | "MODIFIED" | "DELETED", uid: string, kind = "Cluster"): ProjectWatchEvent =>
  ({ type, kind, object: { metadata: { name: uid, uid, resourceVersion: "1" } } }) as ProjectWatchEvent;

test("X002 many changes cause one update, and kinds that did not change stay the same object", () => {
  const waiting: (() => void)[] = [];
  const store = createLiveStore("default", (flush) => waiting.push(flush));
  let told = 0;
  store.subscribe(() => (told += 1));
  for (let n = 0; n < 1000; n += 1) store.take(event("ADDED", `c${n}`));
  store.take(event("ADDED", "n", "Network"));
  store.take({ type: "SYNCED" });
  expect([waiting.length, told, store.read().synced]).toEqual([1, 0, false]);
  waiting.shift()?.();
  expect([told, store.read().synced, store.read().status, store.read().kinds.Cluster?.size]).toEqual([1, true, "live", 1000]);
  const { Network: before } = store.read().kinds;
  store.take(event("DELETED", "c1"));
  store.take({ type: "ADDED", kind: "Event", object: { uid: "e1" } });
  waiting.shift()?.();
  expect([store.read().kinds.Cluster?.size, store.read().events]).toEqual([999, [{ uid: "e1" }]]);
  expect(store.read().kinds.Network).toBe(before);
});

const namesOf = (store: LiveStore): string[] => [...(store.read().kinds.Cluster?.keys() ?? [])];

test("X002 a restarted stream removes entities that were deleted in between, but only once it is in sync", () => {
  const store = createLiveStore("default", (flush) => flush());
  for (const uid of ["stays", "goes"]) store.take(event("ADDED", uid));
  store.take(event("ADDED", "n", "Network"));
  store.take({ type: "SYNCED" });
  store.begin();
  store.resume();
  store.setStatus("reconnecting");
  store.take(event("ADDED", "stays"));
  store.take(event("ADDED", "comes"));
  expect([namesOf(store), store.read().status]).toEqual([["stays", "goes", "comes"], "reconnecting"]);
  store.take({ type: "SYNCED" });
  expect([namesOf(store), store.read().kinds.Network?.size, store.read().status]).toEqual([["stays", "comes"], 0, "live"]);
  store.take(event("MODIFIED", "comes"));
  expect(namesOf(store)).toEqual(["stays", "comes"]);
});

test("X002 a resumed stream is live immediately, and a rejected one reports the reason", () => {
  const store = createLiveStore("default", (flush) => flush());
  store.resume();
  expect(store.read().status).toBe("connecting");
  store.take({ type: "SYNCED" });
  store.setStatus("reconnecting");
  store.resume();
  expect(store.read().status).toBe("live");
  store.refuse("no such project");
  expect([store.read().status, store.read().refusal]).toEqual(["refused", "no such project"]);
});
