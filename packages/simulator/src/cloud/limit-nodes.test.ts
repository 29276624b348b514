import { expect, test } from "vitest";
import { createMemoryInventory } from "../inventory/memory-inventory.ts";
import { listClusters } from "../managed-kubernetes.ts";
import { limitNodes } from "./limit-nodes.ts";

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
