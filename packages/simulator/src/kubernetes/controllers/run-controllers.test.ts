import { parseRange, systemClock, type Ipv4Range } from "@cloudwright/platform";
import { describe, expect, test } from "vitest";
import { markDeleted } from "../api/delete.ts";
import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import { createClusterState, type ClusterState } from "../cluster/cluster-state.ts";
import { ownedBy, type KubeObject } from "../cluster/kube-object.ts";
import { createKindIndex } from "../kinds/kind-index.ts";
import type { ObjectChange } from "../objects/kubernetes-objects.ts";
import { namesOnly } from "./cloud-hooks.ts";
import { runControllers } from "./run-controllers.ts";

const count = 1_500;
const pace = { nodeReadyMs: 0, podStartMs: 0, podStopMs: 0, jobMs: 0, retryMs: 1000 };

function makeObject(apiVersion: string, kind: string, name: string, owner?: KubeObject, rest: object = {}): KubeObject {
  const ownerReferences = owner === undefined ? {} : { ownerReferences: [ownedBy(owner)] };
  const metadata = { name, namespace: "default", uid: `uid-${kind}-${name}`, resourceVersion: "1", labels: { app: "x" } };
  return { apiVersion, kind, metadata: { ...metadata, ...ownerReferences }, ...rest } as unknown as KubeObject;
}

/** Creates a cluster with a replica set and its pods, which wait for a node. Counts the searches through all objects. */
function createCluster(): { cluster: AwakeCluster; commits: (readonly ObjectChange[])[]; searches: () => number } {
  const selector = { matchLabels: { app: "x" } };
  const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const set = makeObject("apps/v1", "ReplicaSet", "many", undefined, { spec: { replicas: count, selector, template } });
  const pods = Array.from({ length: count }, (_, index) =>
    makeObject("v1", "Pod", `many-${index}`, set, { spec: template.spec, status: { phase: "Pending" } }),
  );
  const entry = (resource: string, object: KubeObject) => ({
    key: { resource, namespace: "default", name: object.metadata.name },
    object,
  });
  const objects = [entry("replicasets.apps", set), ...pods.map((pod) => entry("pods", pod))];
  const commits: (readonly ObjectChange[])[] = [];
  const commit = async (_id: string, _after: number, changes: readonly ObjectChange[]): Promise<void> =>
    void commits.push(changes);
  const state = createClusterState({ commit }, "one", { version: 1, objects });
  let searches = 0;
  const counted: ClusterState = {
    ...state,
    listAll() {
      searches += 1;
      return state.listAll();
    },
  };
  const record = { id: "one", version: "v1.34.1", createdAtMs: systemClock.now() };
  const cluster = {
    record,
    state: counted,
    kinds: createKindIndex(counted),
    clock: systemClock,
    tokenKey: Buffer.alloc(32),
    services: parseRange("10.0.0.0/16") as Ipv4Range,
    certificateAuthorityPem: "",
  };
  return { cluster, commits, searches: () => searches };
}

describe("a large workload", () => {
  test.each([
    ["Background", 0],
    ["Foreground", 0],
    ["Orphan", count],
  ])(
    "X063 its deletion takes many short turns, and finds its parts without searching the cluster (%s)",
    async (propagationPolicy, left) => {
      const { cluster, commits, searches } = createCluster();
      const { state } = cluster;
      const troubles: string[] = [];
      const controllers = runControllers(cluster, namesOnly, pace, (message) => troubles.push(message));
      const set = state.find("replicasets.apps", "default", "many") as KubeObject;
      const startSearches = searches();
      markDeleted(state, "replicasets.apps", set, { propagationPolicy }, systemClock.now());
      const changes: number[] = [];
      const isDone = (): boolean =>
        state.find("replicasets.apps", "default", "many") === undefined && state.list("pods").length === left;
      for (let version = state.version(); !isDone(); version = state.version()) {
        await new Promise((resolve) => setImmediate(resolve));
        changes.push(state.version() - version);
      }
      controllers.stop();
      expect(troubles).toEqual([]);
      expect(Math.max(...changes)).toBeLessThan(300);
      expect(Math.max(...commits.map((batch) => batch.length))).toBeLessThanOrEqual(200);
      expect(searches() - startSearches).toBe(0);
      expect(changes.length).toBeGreaterThan(10);
    },
  );

  test("X063 its pods are created and deleted in many short turns, and their final number is correct", async () => {
    const { cluster, commits } = createCluster();
    const { state } = cluster;
    const controllers = runControllers(cluster, namesOnly, pace, () => undefined);
    await controllers.settled();
    for (const replicas of [count + 700, 100]) {
      const set = state.find("replicasets.apps", "default", "many") as KubeObject;
      state.put("replicasets.apps", { ...set, spec: { ...set.spec, replicas } });
      const changes: number[] = [];
      for (let version = state.version(); state.list("pods").length !== replicas; version = state.version()) {
        await new Promise((resolve) => setImmediate(resolve));
        changes.push(state.version() - version);
      }
      expect(Math.max(...changes)).toBeLessThan(300);
      await controllers.settled();
      expect(state.list("pods")).toHaveLength(replicas);
    }
    expect(Math.max(...commits.map((batch) => batch.length))).toBeLessThanOrEqual(200);
    controllers.stop();
  });
});
