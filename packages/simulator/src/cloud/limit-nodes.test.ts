import { describe, expect, test } from "vitest";
import { createMemoryInventory } from "../inventory/memory-inventory.ts";
import { listClusters } from "../managed-kubernetes.ts";
import { createNodeLimits, limitNodes } from "./limit-nodes.ts";

test("X063 a pool has no more nodes than a cloud allows, whatever its record says", () => {
  const sizes = [0, 3, 1000, 1001, 3e8, -5, 2.7, Number.NaN, Number.POSITIVE_INFINITY];
  expect(sizes.map(limitNodes)).toEqual([0, 3, 1000, 1000, 1000, 0, 2, 0, 1000]);
});

test("X063 a node group of any size leaves its cluster usable", async () => {
  const inventory = createMemoryInventory();
  const common = { region: "eu-west-1", version: "1.34", status: "ACTIVE" };
  await inventory.put("t", {
    type: "aws_eks_cluster",
    id: "blue",
    attributes: { ...common, name: "blue", arn: "arn:aws:eks:eu-west-1:1:cluster/blue" },
  });
  const scaling = { desired_size: 300_000_000, min_size: 1, max_size: 300_000_000 };
  await inventory.put("t", {
    type: "aws_eks_node_group",
    id: "blue:main",
    attributes: { ...common, cluster_name: "blue", node_group_name: "main", scaling_config: [scaling], subnet_ids: [] },
  });
  const [cluster] = await listClusters(inventory, "t");
  expect(cluster?.nodes).toHaveLength(1000);
});

const blue = { region: "eu-west-1", location: "eu-west-1", version: "1.34", name: "blue" };
const long = "x".repeat(100_000);
const labels = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`label-${index}`, "v"]));
const taints = Array.from({ length: 19_000 }, (_, index) => ({ key: `k${index}`, value: "v", effect: "NO_SCHEDULE" }));
const subjects = [
  {
    cloud: "EKS",
    cluster: { type: "aws_eks_cluster", id: "blue", attributes: blue },
    describePool: (index: number) => ({
      type: "aws_eks_node_group",
      id: `blue:${index}`,
      attributes: {
        cluster_name: "blue",
        node_group_name: long,
        arn: long,
        region: long,
        labels: { ...labels, [long]: "v", long },
        taint: taints,
        scaling_config: [{ desired_size: 1000 }],
      },
    }),
  },
  {
    cloud: "GKE",
    cluster: { type: "google_container_cluster", id: "c/blue", attributes: { ...blue, location: "us-central1" } },
    describePool: (index: number) => ({
      type: "google_container_node_pool",
      id: `c/blue/nodePools/${index}`,
      attributes: {
        name: long,
        cluster: "blue",
        node_count: 1000,
        node_locations: Array.from({ length: 50_000 }, (_, zone) => `zone-${zone}`),
        node_config: [{ labels: { ...labels, [long]: "v", long }, taint: taints, disk_type: long }],
      },
    }),
  },
  {
    cloud: "AKS",
    cluster: { type: "azurerm_kubernetes_cluster", id: "/blue", attributes: blue },
    describePool: (index: number) => ({
      type: "azurerm_kubernetes_cluster_node_pool",
      id: `/blue/pools/${index}`,
      attributes: {
        name: long,
        kubernetes_cluster_id: "/blue",
        node_count: 1000,
        vm_size: long,
        zones: Array.from({ length: 50_000 }, (_, zone) => `${zone}`),
        node_labels: { ...labels, [long]: "v", long },
        node_taints: taints.map(({ key, value }) => `${key}=${value}:NoSchedule`),
      },
    }),
  },
];

describe.each(subjects)(
  "a cluster in $cloud whose pools were changed without the cloud's checks",
  ({ cluster, describePool }) => {
    test("X063 nodes get a limited number of labels and taints, none of them too long, and share them", async () => {
      const inventory = createMemoryInventory();
      await inventory.put("t", cluster);
      await inventory.put("t", describePool(0));
      const [facts] = await listClusters(inventory, "t");
      const [first, second] = facts?.nodes ?? [];
      expect(Object.keys(first?.labels ?? {}).length).toBeLessThanOrEqual(64 + 20);
      expect(first?.labels).toMatchObject({ "label-0": "v" });
      expect(Object.keys(first?.labels ?? {})).not.toContain(long);
      expect(first?.labels).not.toHaveProperty("long");
      expect(first?.taints).toHaveLength(64);
      expect(first?.taints[0]).toEqual({ key: "k0", value: "v", effect: "NoSchedule" });
      expect(second?.taints).toBe(first?.taints);
    });

    test("X063 the nodes of a cluster and of an account are limited, also by the size of their descriptions", async () => {
      const inventory = createMemoryInventory();
      await inventory.put("t", cluster);
      for (let index = 0; index < 10; index++) await inventory.put("t", describePool(index));
      const [facts] = await listClusters(inventory, "t");
      const nodes = facts?.nodes ?? [];
      expect(nodes.length).toBeGreaterThan(100);
      expect(nodes.length).toBeLessThanOrEqual(2000);
      expect(JSON.stringify(nodes).length).toBeLessThanOrEqual(10 * 1024 * 1024);
    });
  },
);

test("X063 an account has a limited number of nodes in all of its clusters", () => {
  const startCluster = createNodeLimits();
  const granted = Array.from({ length: 4 }, () => {
    const grant = startCluster();
    return [grant(900, {}), grant(2000, {}), grant(900, {}), grant(-1, {})];
  });
  expect(granted).toEqual([
    [900, 1000, 100, 0],
    [900, 1000, 100, 0],
    [900, 100, 0, 0],
    [0, 0, 0, 0],
  ]);
});

test("X063 a cluster with a name or version that no cloud accepts is not served", async () => {
  const inventory = createMemoryInventory();
  await inventory.put("t", { type: "aws_eks_cluster", id: "blue", attributes: { ...blue, version: long } });
  await inventory.put("t", { type: "aws_eks_cluster", id: "green", attributes: blue });
  expect((await listClusters(inventory, "t")).map(({ name }) => name)).toEqual(["green"]);
});
