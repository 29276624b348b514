import { Secret } from "@cloudwright/platform";
import { beforeEach, expect, test } from "vitest";
import type { ClusterLeftovers, Leftover } from "../cloud.ts";
import type { TaskSession } from "../executor/task-session.ts";
import { createClusterTask, openTestCloud } from "../testing/cluster-task.ts";
import { destroyCluster } from "./destroy-cluster.ts";

const silent = { server: "https://127.0.0.1:1", caPem: "", token: async () => new Secret("") };
const patience = { reachMs: 0, sweepMs: 0 };
let order: string[];
let said: string[];
beforeEach(() => {
  order = [];
  said = [];
});

/** Destroys a cluster with a fake executor that only records that it was called. */
async function destroy(leftovers?: ClusterLeftovers, sweepMs = 0, claimVolumes = "") {
  const cloud = await openTestCloud(silent, leftovers === undefined ? {} : { leftovers })({} as never, {} as never, {} as never);
  const executor = {
    async destroy(beforeRemoval: () => Promise<void> = async () => undefined) {
      await beforeRemoval();
      order.push("executor");
    },
  };
  const account = { uid: "a", name: "a", cloud: "aws", simulated: true, spec: {} };
  const session = { openCloud: async () => cloud, openEndpoint: async () => ({}) } as unknown as TaskSession;
  const clock = { now: () => 0, sleep: async () => undefined };
  const task = createClusterTask("cluster.destroy", { spec: { claimVolumes }, log: (line) => void said.push(line) });
  return destroyCluster({ patience: { ...patience, sweepMs }, clock }, { task, account, session, executor });
}

function createLeftovers(...all: readonly Leftover[]): ClusterLeftovers & { stuck: Map<string, number> } {
  const left = new Map(all.map((each) => [each.id, each]));
  const stuck = new Map<string, number>();
  return {
    stuck,
    list: async (cluster) => (cluster === "dev-1" ? [...left.values()] : []),
    async remove({ id }) {
      const times = stuck.get(id) ?? 0;
      stuck.set(id, times - 1);
      if (times > 0) throw new Error("in use");
      order.push(id);
      left.delete(id);
    },
    retain: async () => undefined,
  };
}

test("X010 leftovers of an unreachable cluster are removed by tag after its deletion; its volumes are kept and named", async () => {
  const leftovers = createLeftovers({ type: "aws_lb", id: "lb-1" }, { type: "aws_ebs_volume", id: "vol-1" });
  await expect(destroy(leftovers)).resolves.toEqual({ outcome: "done", outputs: {} });
  expect(order).toEqual(["executor", "lb-1"]);
  expect(said.join("\n")).toContain("vol-1 is kept");
});

test.each([
  ["retain", ["executor", "lb-1"]],
  ["delete", ["executor", "lb-1", "vol-1"]],
])(
  "X082 with claimVolumes %s, the leftovers of an unreachable cluster are removed or kept as chosen",
  async (claimVolumes, removed) => {
    const leftovers = createLeftovers({ type: "aws_lb", id: "lb-1" }, { type: "aws_ebs_volume", id: "vol-1" });
    await destroy(leftovers, 0, claimVolumes);
    expect(order).toEqual(removed);
  },
);

test("X010 the removal of a leftover that depends on another one is retried", async () => {
  const leftovers = createLeftovers({ type: "aws_security_group", id: "sg-1" }, { type: "aws_lb", id: "lb-1" });
  leftovers.stuck.set("sg-1", 2);
  await expect(destroy(leftovers, 60_000)).resolves.toMatchObject({ outcome: "done" });
  expect(order).toEqual(["executor", "lb-1", "sg-1"]);
});

test("X010 leftovers that cannot be removed are listed, and retried with the task", async () => {
  const leftovers = createLeftovers({ type: "aws_lb", id: "lb-1" }, { type: "aws_network_interface", id: "eni-1" });
  leftovers.stuck.set("eni-1", 99);
  await expect(destroy(leftovers)).resolves.toMatchObject({
    outcome: "failed",
    fault: { code: "deployer.leftovers", permanent: false, left: ["aws_network_interface eni-1: in use"] },
  });
});

test("X010 in a cloud that cannot list leftovers, the deletion ends with the cluster", async () => {
  await expect(destroy()).resolves.toMatchObject({ outcome: "done" });
});

test("X010 X082 a deletion whose resources cannot be listed in advance says so and continues", async () => {
  const leftovers = { ...createLeftovers({ type: "aws_lb", id: "lb-1" }) };
  let calls = 0;
  const failing = {
    ...leftovers,
    list: async (cluster: string) => ((calls += 1) === 1 ? Promise.reject(new Error("throttled")) : leftovers.list(cluster)),
  };
  await expect(destroy(failing)).resolves.toMatchObject({ outcome: "done" });
  expect(order).toEqual(["executor", "lb-1"]);
  expect(said.filter((line) => line.includes("throttled"))).toHaveLength(1);
});
