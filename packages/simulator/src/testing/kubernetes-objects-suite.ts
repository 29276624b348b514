import { describe, expect, test } from "vitest";
import { simulatorFaults } from "../faults.ts";
import type { KubeObject } from "../kubernetes/cluster/kube-object.ts";
import type { KubernetesObjects, ObjectChange } from "../kubernetes/objects/kubernetes-objects.ts";

/**
 * Defines the contract suite for cluster stores. `open` returns an empty store; the optional `reopen` returns another client for the same
 * store.
 */
export function describeKubernetesObjects(
  name: string,
  open: () => Promise<{ store: KubernetesObjects; reopen?: () => KubernetesObjects }>,
): void {
  const record = { id: "one", version: "v1.32.4", createdAtMs: 1_000, project: "default" };
  const put = (version: number, objectName: string): ObjectChange => {
    const object: KubeObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: objectName,
        namespace: "n",
        uid: "u",
        resourceVersion: String(version),
        creationTimestamp: "2026-01-01T00:00:00Z",
      },
    };
    return { version, key: { resource: "configmaps", namespace: "n", name: objectName }, object };
  };
  const gone = (version: number, objectName: string): ObjectChange => ({ ...put(version, objectName), object: undefined });

  describe(`store of simulated clusters, ${name}`, () => {
    test("M130 a cluster is created once, changed, listed, and deleted with its objects", async () => {
      const { store } = await open();
      expect(await store.updateCluster(record)).toBe(false);
      expect(await store.createCluster(record)).toBe(true);
      expect(await store.createCluster(record)).toBe(false);
      await store.commit("one", 0, [put(1, "a")]);
      expect(await store.updateCluster({ ...record, version: "v1.33.0" })).toBe(true);
      expect(await store.listClusters()).toEqual([{ ...record, version: "v1.33.0" }]);
      expect(await store.deleteCluster("one")).toBe(true);
      expect(await store.deleteCluster("one")).toBe(false);
      expect(await store.createCluster(record)).toBe(true);
      expect(await store.load("one")).toEqual({ version: 0, objects: [] });
    });

    test("X010 clusters with unfinished deletions are listed", async () => {
      const { store } = await open();
      for (const id of ["one", "two"]) await store.createCluster({ ...record, id });
      const { object, ...change } = put(1, "a");
      const deletionTimestamp = "2026-01-01T00:00:00Z";
      await store.commit("one", 0, [{ ...change, object }]);
      await store.commit("two", 0, [
        { ...change, object: object && { ...object, metadata: { ...object.metadata, deletionTimestamp } } },
      ]);
      expect(await store.listUnfinished()).toEqual(["two"]);
    });

    test("M130 every client of a store loads what was committed", async () => {
      const { store, reopen } = await open();
      await store.createCluster(record);
      await store.commit("one", 0, [put(1, "a"), put(2, "b")]);
      await store.commit("one", 2, [put(3, "a"), gone(4, "b")]);
      const { version, objects } = await (reopen?.() ?? store).load("one");
      expect(version).toBe(4);
      expect(objects.map(({ key, object }) => [key.name, object.metadata.resourceVersion])).toEqual([["a", "3"]]);
    });

    test("M130 a commit that does not follow the latest one is rejected", async () => {
      const { store } = await open();
      await store.createCluster(record);
      await store.commit("one", 0, [put(1, "a")]);
      await expect(store.commit("one", 0, [put(1, "b")])).rejects.toMatchObject({ code: simulatorFaults.objects_stale.code });
      await expect(store.load("two")).rejects.toMatchObject({ code: simulatorFaults.no_such_cluster.code });
      expect((await store.load("one")).objects).toHaveLength(1);
    });
  });
}
