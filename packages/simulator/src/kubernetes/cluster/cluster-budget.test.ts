import { expect, test } from "vitest";
import { createMemoryObjects } from "../objects/memory-objects.ts";
import { createBudgets, type ClusterBudget, type ClusterLimits } from "./cluster-budget.ts";
import { createClusterState } from "./cluster-state.ts";
import type { KubeObject } from "./kube-object.ts";

const mebibyte = 1024 * 1024;
const limits: ClusterLimits = {
  cluster: { objects: 1000, bytes: 40 * mebibyte },
  project: { objects: 1000, bytes: 60 * mebibyte },
  host: { objects: 3000, bytes: 120 * mebibyte },
  guaranteed: { objects: 10, bytes: 4 * mebibyte },
};
const quota = expect.objectContaining({ code: 403 });
const unavailable = expect.objectContaining({ code: 503 });

const bomb = (name: string, values: number): KubeObject => ({
  apiVersion: "x.io/v1",
  kind: "Bomb",
  metadata: { name, namespace: "n", uid: name, resourceVersion: "", creationTimestamp: "" },
  list: Array.from({ length: values }, () => ({})),
});
const fill = (put: (count: number) => unknown): number => {
  for (let count = 0; ; count++) {
    try {
      put(count);
    } catch (error) {
      expect(error).toEqual(quota);
      return count;
    }
  }
};

test("X063 objects with many small values count for the memory that they occupy", async () => {
  const store = createMemoryObjects();
  await store.createCluster({ id: "one", version: "v1.34.1", createdAtMs: 0 });
  const state = createClusterState(store, "one", await store.load("one"), createBudgets(limits).open("a"));
  const created = fill((count) => state.put("bombs", bomb(`b${count}`, 10_000)));
  // If only the size of their JSON counted, more than 1,300 of these objects would fit into 40 MiB.
  expect(created).toBeGreaterThan(20);
  expect(created).toBeLessThan(60);
});

test("X063 older versions of objects count until nobody can read them anymore", async () => {
  const store = createMemoryObjects();
  await store.createCluster({ id: "one", version: "v1.34.1", createdAtMs: 0 });
  const held: number[] = [];
  const budget: ClusterBudget = createBudgets(limits).open("a");
  const counting = { ...budget, hold: (bytes: number) => (held.push(bytes), budget.hold(bytes)) };
  const sum = (): number => held.reduce((total, bytes) => total + bytes, 0);
  const state = createClusterState(store, "one", await store.load("one"), counting);
  const change = async (): Promise<void> => {
    for (let version = 0; version < 40; version++) {
      state.put("bombs", bomb("one", 10_000 + version));
      await state.kept();
      expect(sum()).toBeLessThanOrEqual(limits.cluster.bytes);
    }
  };
  await change();
  // The history takes at most a quarter of the cluster's memory.
  expect(sum()).toBeLessThanOrEqual(limits.cluster.bytes / 4);
  const ended: string[] = [];
  const slow = state.startReading(() => ended.push("slow"));
  const quick = state.startReading(() => ended.push("quick"));
  const before = sum();
  for (let version = 0; version < 12; version++) {
    state.put("bombs", bomb("one", 12_000 + version));
    await state.kept();
  }
  expect(sum()).toBeGreaterThan(before);
  expect(ended).toEqual([]);
  quick.version = Infinity;
  // Only the reader that keeps too many older versions in memory is disconnected.
  await change();
  expect(ended).toEqual(["slow"]);
  state.endReading(slow);
  state.endReading(quick);
  expect(sum()).toBeLessThanOrEqual(limits.cluster.bytes / 4);
});

test("X063 a full cluster forgets its history before it refuses an object", async () => {
  const store = createMemoryObjects();
  await store.createCluster({ id: "one", version: "v1.34.1", createdAtMs: 0 });
  const state = createClusterState(store, "one", await store.load("one"), createBudgets(limits).open("a"));
  for (let version = 0; version < 8; version++) {
    state.put("bombs", bomb("one", 10_000 + version));
    await state.kept();
  }
  expect(state.changesAfter(1)).toBeDefined();
  const created = fill((count) => state.put("bombs", bomb(`b${count}`, 10_000)));
  await state.kept();
  expect(created).toBeGreaterThan(40);
  expect(state.changesAfter(1)).toBeUndefined();
});

test("X063 every project keeps its guaranteed memory, whatever other projects use", () => {
  const budgets = createBudgets(limits);
  for (const project of ["a", "b", "c"])
    for (let cluster = 0; cluster < 2; cluster++) {
      const budget = budgets.open(project);
      try {
        for (;;) budget.charge(1, mebibyte / 4);
      } catch {
        // The cluster, the project or the host is full.
      }
    }
  for (let other = 0; other < 5; other++) {
    const budget = budgets.open(`other-${other}`);
    for (let count = 0; count < 4; count++) budget.load(mebibyte);
    expect(() => budget.load(mebibyte)).toThrow(unavailable);
    expect(() => budget.charge(1, mebibyte)).toThrow(unavailable);
  }
});

test("X063 a released cluster frees its memory for others", () => {
  const budgets = createBudgets(limits);
  for (let round = 0; round < 20; round++) {
    const budget = budgets.open("a");
    for (let count = 0; count < 39; count++) budget.charge(1, mebibyte);
    budget.hold(mebibyte);
    budget.release();
    budget.release();
  }
  expect([budgets.isNearlyFull(), budgets.isProjectNearlyFull("a")]).toEqual([false, false]);
});

test("X063 a cluster that is far larger than allowed is refused while it is loaded, before all its objects are in memory", () => {
  let parsed = 0;
  const objects = Array.from({ length: 500 }, (_, index) => ({
    key: { resource: "bombs", namespace: "n", name: `b${index}` },
    get object() {
      parsed++;
      return bomb(`b${index}`, 10_000);
    },
  }));
  const budgets = createBudgets(limits);
  const load = (): unknown =>
    createClusterState({ commit: async () => undefined }, "one", { version: 1, objects }, budgets.open("a"));
  expect(load).toThrow(unavailable);
  expect(parsed).toBeLessThan(100);
  expect(load).toThrow(unavailable);
  budgets.open("a").charge(1, 30 * mebibyte);
});
