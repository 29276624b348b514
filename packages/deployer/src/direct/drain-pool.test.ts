import { openSimulatedCluster } from "@cloudwright/kube/testing";
import { Secret } from "@cloudwright/platform";
import { expect, onTestFinished, test } from "vitest";
import { createClusterTask, openTestCloud } from "../testing/cluster-task.ts";
import type { TestTaskOptions } from "../testing/test-task.ts";
import { requireAccount } from "../credentials.ts";
import type { Cloud } from "../cloud.ts";
import { drainPool } from "./drain-pool.ts";

const label = "eks.amazonaws.com/nodegroup";
const pool = { pool: "old", nodeLabels: `${label}=old` };

async function openCloud(own?: Parameters<typeof openTestCloud>[0]): Promise<Cloud> {
  const access = own ?? { server: "https://127.0.0.1:1", caPem: "", token: async () => new Secret("") };
  const opened = openTestCloud(access) as unknown as () => Promise<Cloud>;
  return opened();
}

function createWork(options: TestTaskOptions = {}) {
  const lines: string[] = [];
  const task = createClusterTask("cluster.apply", { log: (line) => void lines.push(line), ...options });
  return { work: { task, account: requireAccount(task), isRemoval: false }, lines };
}

test("M125 a pool is drained before it is deleted", async () => {
  const cluster = await openSimulatedCluster([
    { name: "old-1", labels: { [label]: "old" } },
    { name: "new-1", labels: { [label]: "new" } },
  ]);
  onTestFinished(() => cluster.close());
  const { work, lines } = createWork();
  await drainPool(pool, await openCloud(cluster.access), work);
  const { items } = await cluster.client.list({ apiVersion: "v1", kind: "Pod" }, { fields: "spec.nodeName=old-1" });
  expect(items.filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind !== "DaemonSet")).toEqual([]);
  expect(lines).toEqual(["the pool old is being drained"]);
});

test("M125 a cluster that was never built has nothing to drain, and an aborted drain throws the signal's reason", async () => {
  const { work } = createWork({ outputs: { cluster_name: "", endpoint: "" } });
  await drainPool(pool, await openCloud(), work);
  const reason = new Error("stop");
  const controller = new AbortController();
  controller.abort(reason);
  const aborted = createWork({ signal: controller.signal });
  await expect(drainPool(pool, await openCloud(), aborted.work)).rejects.toBe(reason);
});

test("M125 if the cluster cannot be opened, the deletion goes on, and the log says that the cloud drains", async () => {
  const cloud = { ...(await openCloud()), openCluster: async () => Promise.reject(new Error("no token")) };
  const { work, lines } = createWork();
  await drainPool(pool, cloud, work);
  expect(lines.join()).toMatch(/not drained by the platform.*no token/);
});

test("M125 X035 a budget that never releases its pods stops the deletion with their names, unless the request allows it", async () => {
  const cluster = await openSimulatedCluster([{ name: "old-1", labels: { [label]: "old" } }]);
  onTestFinished(() => cluster.close());
  const { client } = cluster;
  const selector = { matchLabels: { app: "db" } };
  await client.apply({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "db", namespace: "default" },
    spec: { maxUnavailable: 0, selector },
  });
  const template = { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const metadata = { name: "db", namespace: "default" };
  await client.apply({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replicas: 1, selector, template } });
  const listPods = async () => (await client.list({ apiVersion: "v1", kind: "Pod" }, { labels: "app=db" })).items;
  await expect
    .poll(async () => (await listPods()).map((pod) => (pod["status"] as { phase?: string }).phase), { timeout: 60_000 })
    .toEqual(["Running"]);
  const cloud = await openCloud(cluster.access);
  await expect(drainPool(pool, cloud, createWork().work, { nodesMs: 1 })).rejects.toMatchObject({
    code: "deployer.drain_blocked",
    retry: "backoff",
    message: expect.stringMatching(/default\/db-.*disruption budget/) as string,
  });
  const allowed = createWork({ allow: ["delete"] });
  await drainPool(pool, cloud, allowed.work, { nodesMs: 1 });
  expect(allowed.lines.join()).toContain("the request allows it");
  expect(await listPods()).toHaveLength(1);
});
