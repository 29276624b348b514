import { openSimulatedCluster } from "@cloudwright/kube/testing";
import { Secret } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { expect, test } from "vitest";
import type { ClusterAddress } from "../cloud.ts";
import { createDeployer } from "../create-deployer.ts";
import { openTestCloud, createClusterTask } from "../testing/cluster-task.ts";
import type { OpenCloud } from "../cloud.ts";

const binaries = { get: () => Promise.reject(new Error(terraformFaults.no_binary.code)) };
const quick = { reachMs: 0, nodesMs: 60_000 };
const deploy = (openCloud: OpenCloud, patience = quick) => createDeployer({ binaries, openCloud, patience });

test("M130 access waits for the API and for the nodes of all pools, and reports both", async () => {
  const cluster = await openSimulatedCluster([{ name: "a" }]);
  const said: string[] = [];
  const asked: ClusterAddress[] = [];
  const openCloud = openTestCloud(cluster.access, {
    openCluster: async (address) => {
      asked.push(address);
      return cluster.access;
    },
  });
  const task = createClusterTask("cluster.access", {
    outputs: { ready_nodes: 2 },
    progress: (_percent, message) => {
      said.push(message);
      if (message === "1 of 2 nodes ready") void cluster.host.setNodes("one", [{ name: "a" }, { name: "b" }]);
    },
  });
  await expect(deploy(openCloud).handle(task)).resolves.toEqual({
    outcome: "done",
    outputs: { readyNodes: 2, wantedNodes: 2, serverVersion: "v1.34.1" },
  });
  expect(asked).toEqual([{ name: "dev-1", region: "eu-west-1", endpoint: "https://cluster.test", caPem: "pem" }]);
  expect(said.slice(-2)).toEqual(["1 of 2 nodes ready", "2 of 2 nodes ready"]);
  await cluster.close();
});

test("M130 missing nodes cause a retryable fault with the count of ready nodes", async () => {
  const cluster = await openSimulatedCluster();
  // The wait times out as soon as the first node count is reported.
  const { promise: looked, resolve: look } = Promise.withResolvers<void>();
  const clock = { now: () => 0, sleep: () => looked };
  const task = createClusterTask("cluster.access", {
    outputs: { ready_nodes: 3 },
    progress: (_percent, message) => (message === "0 of 3 nodes ready" ? look() : undefined),
  });
  const deployer = createDeployer({ binaries, openCloud: openTestCloud(cluster.access), clock });
  await expect(deployer.handle(task)).rejects.toMatchObject({
    code: "kube.not_in_time",
    retry: "backoff",
    message: expect.stringContaining("0 of 3 nodes ready"),
  });
  await cluster.close();
});

test("M130 an unreachable cluster is retried, but a cluster that rejects the credentials is not", async () => {
  const nobody = openTestCloud({ server: "https://127.0.0.1:1", caPem: "", token: async () => new Secret("") });
  const task = createClusterTask("cluster.access");
  await expect(deploy(nobody).handle(task)).rejects.toMatchObject({ code: "kube.unreachable", retry: "backoff" });
  const cluster = await openSimulatedCluster();
  const stranger = openTestCloud({ ...cluster.access, token: async () => new Secret("wrong") });
  await expect(deploy(stranger).handle(task)).rejects.toMatchObject({ code: "kube.denied", retry: "never" });
  await cluster.close();
});

test("M130 a cluster without an address cannot be opened, and a cancelled task does not fail", async () => {
  const openCloud = openTestCloud({ server: "https://127.0.0.1:1", caPem: "", token: async () => new Secret("") });
  const empty = createClusterTask("cluster.access", { outputs: { endpoint: "" } });
  await expect(deploy(openCloud).handle(empty)).rejects.toMatchObject({ code: "deployer.no_cluster" });
  const stopped = createClusterTask("cluster.access", { signal: AbortSignal.abort() });
  await expect(deploy(openCloud).handle(stopped)).resolves.toEqual({ outcome: "cancelled" });
});
