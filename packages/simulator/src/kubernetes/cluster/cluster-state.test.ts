import { expect, test } from "vitest";
import { createMemoryObjects } from "../objects/memory-objects.ts";
import { createClusterState, type ClusterState } from "./cluster-state.ts";
import type { KubeObject } from "./kube-object.ts";

const record = { id: "one", version: "v1.32.4", createdAtMs: 0 };
const object = (name: string, data: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "n", uid: name, resourceVersion: "", creationTimestamp: "" },
  data,
});

async function open(store = createMemoryObjects()): Promise<{ state: ClusterState; store: typeof store }> {
  await store.createCluster(record);
  return { state: createClusterState(store, "one", await store.load("one")), store };
}

test("M130 readers see changes immediately, and watchers see them in order once they are stored", async () => {
  const { state, store } = await open();
  const seen: string[] = [];
  state.onChange(({ type, version }) => seen.push(`${type} ${version}`));
  state.put("configmaps", object("a"));
  state.put("configmaps", object("a", { x: 1 }));
  state.remove("configmaps", "n", "a");
  expect(state.version()).toBe(3);
  expect(seen).toEqual([]);
  await state.kept();
  expect(seen).toEqual(["ADDED 1", "MODIFIED 2", "DELETED 3"]);
  expect(await store.load("one")).toEqual({ version: 3, objects: [] });
});

test("M130 storing an equal object changes nothing, regardless of the order of its keys", async () => {
  const { state } = await open();
  const kept = state.put("configmaps", object("a", { x: 1, y: { z: [1] } }));
  expect(state.put("configmaps", object("a", { y: { z: [1] }, x: 1 }))).toBe(kept);
  expect(state.version()).toBe(1);
});

test("M130 recent changes after a version are available, and older ones are not", async () => {
  const { state } = await open();
  for (let index = 0; index < 4_001; index++) {
    state.put("configmaps", object("a", { index }));
    if (index === 1_000 || index === 4_000) await state.kept();
  }
  expect(state.changesAfter(0)).toBeUndefined();
  expect(state.changesAfter(3_999)?.map(({ version }) => version)).toEqual([4_000, 4_001]);
  expect(state.changesAfter(4_001)).toEqual([]);
});

test("M130 a state reports that a change could not be stored", async () => {
  const { state, store } = await open();
  state.put("configmaps", object("a"));
  await state.kept();
  await store.deleteCluster("one");
  state.put("configmaps", object("b"));
  await expect(state.kept()).rejects.toThrow(expect.objectContaining({ code: "simulator.no_such_cluster" }));
  expect(state.ended.aborted).toBe(true);
  state.put("configmaps", object("c"));
  await expect(state.kept()).rejects.toThrow(expect.objectContaining({ code: "simulator.no_such_cluster" }));
});

test("M130 lists are ordered by namespace and name", async () => {
  const { state } = await open();
  for (const name of ["b", "a", "c"]) state.put("configmaps", object(name));
  expect(state.list("configmaps").map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c"]);
  expect(state.list("configmaps", "other")).toEqual([]);
});
