import { beforeEach, expect, test } from "vitest";
import { useFakeProject, clusterRequest, faultOf } from "../testing/library-test.ts";

const project = useFakeProject();

beforeEach(async () => {
  await project.open().clusters.create(clusterRequest, { wait: "ready" });
});

test("M141 a pool is created with limits, labels and taints, while another change is in progress", async () => {
  const gcp = project.open();
  await gcp.nodePools.create("my-cluster", { name: "first", count: 3 });
  const pool = await gcp.nodePools.create(
    "my-cluster",
    {
      name: "second",
      count: 2,
      min: 1,
      max: 6,
      type: "n2-standard-4",
      labels: { tier: "batch" },
      taints: [{ key: "batch", effect: "NoExecute" }],
      spot: true,
      diskGiB: 50,
      version: "1.29.3",
      tags: { "Cost Center": "7" },
    },
    { wait: "ready" },
  );
  expect(pool).toMatchObject({
    count: 2,
    min: 1,
    max: 6,
    types: ["n2-standard-4"],
    labels: { tier: "batch" },
    version: "1.29.3-gke.100",
  });
  expect(pool.tags).toMatchObject({ "Cost Center": "7" });
  const { nodePool } = (project.sent("/nodePools").at(-1)?.body ?? {}) as { readonly nodePool?: object };
  expect(nodePool).toMatchObject({
    initialNodeCount: 1,
    autoscaling: { enabled: true, totalMinNodeCount: 1, totalMaxNodeCount: 6 },
    config: { taints: [{ key: "batch", value: "", effect: "NO_EXECUTE" }], diskSizeGb: 50, spot: true },
  });
  expect((await gcp.nodePools.list("my-cluster")).map(({ name }) => name)).toEqual(["default", "first", "second"]);
});

test("M141 scaling sets the total, keeps nodes in their zones and refuses totals that GKE cannot have", async () => {
  const gcp = project.open();
  const scale = async (count: number) => {
    const { count: total, zones } = await gcp.nodePools.scale("my-cluster", "default", count, { wait: "ready" });
    return [total, zones.length];
  };
  expect(await scale(6)).toEqual([6, 3]);
  expect((await faultOf(scale(4))).code).toBe("clouds.invalid");
  expect(await scale(2)).toEqual([2, 2]);
  expect(await scale(4)).toEqual([4, 2]);
  // Nine nodes cannot be spread evenly over two zones, but they can over three.
  expect(await scale(9)).toEqual([9, 3]);
  const before = project.google.seen.length;
  expect(await scale(9)).toEqual([9, 3]);
  expect(project.google.seen.slice(before).every(({ method }) => method === "GET")).toBe(true);
});

test("M141 scaling widens the limits of the autoscaler", async () => {
  const gcp = project.open();
  await gcp.nodePools.create("my-cluster", { name: "auto", count: 3, min: 3, max: 6 }, { wait: "ready" });
  expect(await gcp.nodePools.scale("my-cluster", "auto", 9, { wait: "ready" })).toMatchObject({ count: 9, min: 3, max: 9 });
  expect(await gcp.nodePools.scale("my-cluster", "auto", 0, { wait: "ready" })).toMatchObject({ count: 0, min: 0, max: 9 });
});

test("M141 an update replaces labels, taints, tags and limits, and keeps the library's own tags", async () => {
  const gcp = project.open({ tags: { team: "core" } });
  await gcp.nodePools.create("my-cluster", { name: "p", count: 1, tags: { old: "1" } }, { token: "t", wait: "ready" });
  const change = {
    labels: { a: "b" },
    taints: [{ key: "k", value: "v", effect: "NoSchedule" }],
    tags: { fresh: "1" },
    max: 3,
  } as const;
  const pool = await gcp.nodePools.update("my-cluster", "p", change, { wait: "ready" });
  expect(pool).toMatchObject({ labels: { a: "b" }, min: 0, max: 3, tags: { team: "core", fresh: "1" } });
  expect(pool.tags).not.toHaveProperty("old");
  expect(pool.tags).toHaveProperty("cloudwright:token");
  expect(await gcp.nodePools.create("my-cluster", { name: "p", count: 1 }, { token: "t" })).toMatchObject({ name: "p" });
});

test("M141 a pool is drained before it is deleted, and deleting it again succeeds", async () => {
  const gcp = project.open();
  const drained: string[] = [];
  const drain = async (selector: string) =>
    void drained.push(`${selector} ${project.google.state.clusters.get("us-central1/my-cluster")?.nodePools?.[0]?.status}`);
  await gcp.nodePools.delete("my-cluster", "default", { drain });
  expect(drained).toEqual(["cloud.google.com/gke-nodepool=default RUNNING"]);
  await gcp.nodePools.delete("my-cluster", "default", { drain });
  await gcp.nodePools.delete("gone", "default", { drain });
  expect(drained).toHaveLength(1);
  expect(await gcp.nodePools.list("my-cluster")).toEqual([]);
  expect((await faultOf(gcp.nodePools.get("my-cluster", "default"))).code).toBe("clouds.not_found");
});
