import { Fault, systemClock } from "@cloudwright/platform";
import { expect, onTestFinished, test } from "vitest";
import type { KubeClient } from "./create-client.ts";
import { drainNodes } from "./drain.ts";
import { kubeFaults } from "./faults.ts";
import type { KubeObject } from "./kube-object.ts";
import { openSimulatedCluster } from "./testing/test-cluster.ts";

const pool = "eks.amazonaws.com/nodegroup";
const quick = { ...systemClock, sleep: async (_ms: number, signal?: AbortSignal) => systemClock.sleep(5, signal) };

const deployment = (name: string, replicas: number): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
});

async function openCluster() {
  const node = (name: string, group: string) => ({
    name,
    labels: { [pool]: group },
    capacity: { cpu: "4", memory: "8Gi", pods: "50" },
  });
  const cluster = await openSimulatedCluster([node("old-1", "old"), node("old-2", "old"), node("new-1", "new")] as never);
  onTestFinished(() => cluster.close());
  const { client } = cluster;
  const listRunning = async (app: string) => {
    const { items } = await client.list({ apiVersion: "v1", kind: "Pod" }, { namespace: "default", labels: `app=${app}` });
    return items.filter(
      (each) => (each["status"] as { phase?: string })?.phase === "Running" && each.metadata.deletionTimestamp === undefined,
    );
  };
  const nodeOf = (pod: KubeObject): string => (pod["spec"] as { nodeName: string }).nodeName;
  return { client, listRunning, nodeOf };
}

test("M125 draining cordons the pool's nodes and moves their pods to others, within the disruption budget", async () => {
  const { client, listRunning, nodeOf } = await openCluster();
  await client.apply({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web", namespace: "default" },
    spec: { minAvailable: 3, selector: { matchLabels: { app: "web" } } },
  });
  await client.apply(deployment("web", 4));
  await expect.poll(() => listRunning("web"), { timeout: 60_000 }).toHaveLength(4);
  const told: string[] = [];
  const left = await drainNodes(client, `${pool}=old`, {
    deadlineMs: 30_000,
    clock: quick,
    tell: (line) => void told.push(line),
  });
  expect(left).toEqual([]);
  await expect.poll(() => listRunning("web"), { timeout: 60_000 }).toHaveLength(4);
  expect((await listRunning("web")).map(nodeOf)).toEqual(["new-1", "new-1", "new-1", "new-1"]);
  const { items } = await client.list({ apiVersion: "v1", kind: "Node" });
  const cordoned = items.filter(({ spec }) => (spec as { unschedulable?: boolean }).unschedulable === true);
  expect(cordoned.map(({ metadata }) => metadata.name).toSorted()).toEqual(["old-1", "old-2"]);
});

test("M125 pods that a budget never releases remain at the deadline and are named with the reason, and repeating the drain is safe", async () => {
  const { client, listRunning } = await openCluster();
  await client.apply({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "db", namespace: "default" },
    spec: { maxUnavailable: 0, selector: { matchLabels: { app: "db" } } },
  });
  await client.apply(deployment("db", 6));
  await expect.poll(() => listRunning("db"), { timeout: 60_000 }).toHaveLength(6);
  for (let round = 0; round < 2; round += 1) {
    const remaining = await drainNodes(client, `${pool}=old`, { deadlineMs: 1, clock: quick });
    const left = remaining.filter(({ pod }) => !pod.startsWith("kube-system/"));
    expect(left.length).toBeGreaterThan(0);
    for (const { pod, reason } of left) {
      expect(pod).toMatch(/^default\/db-/);
      expect(reason).toContain("disruption budget");
    }
  }
  expect(await listRunning("db")).toHaveLength(6);
});

test("M125 pods of DaemonSets, static pods and completed pods are not evicted, missing pods count as evicted, and a denied eviction is thrown", async () => {
  const pod = (name: string, more: object = {}, phase = "Running"): KubeObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", ...more },
    status: { phase },
  });
  const pods = [
    pod("daemon", { ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "d", uid: "u", controller: true }] }),
    pod("static", { annotations: { "kubernetes.io/config.mirror": "x" } }),
    pod("completed", {}, "Succeeded"),
    pod("gone"),
  ];
  const evicted: string[] = [];
  const client = {
    list: async ({ kind }: { kind: string }) => ({
      items: kind === "Node" ? [{ metadata: { name: "n" } }] : pods,
      resourceVersion: "1",
    }),
    patch: async () => undefined,
    evict: async ({ name }: { name: string }) => {
      evicted.push(name);
      return false;
    },
  } as unknown as KubeClient;
  expect(await drainNodes(client, "a=b", { deadlineMs: 1 })).toEqual([]);
  expect(evicted).toEqual(["gone"]);
  const denied = new Fault(kubeFaults.denied, "no");
  const refusing = { ...client, evict: async () => Promise.reject(denied) };
  await expect(drainNodes(refusing, "a=b", { deadlineMs: 1 })).rejects.toBe(denied);
});
