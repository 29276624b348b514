import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { createClusterCloud } from "../../managed-kubernetes.ts";
import { expect, test } from "vitest";
import { createLeftovers } from "./leftovers.ts";

test("X010 leftover resources of a simulated cluster are found by tag and removed, except those of Terraform and retained volumes", async () => {
  const inventory = createMemoryInventory();
  const vpc = [{ vpc_id: "v", subnet_ids: ["s"] }];
  const tags = { "kubernetes.io/cluster/dev": "owned", "cloudwright:entity": "uid" };
  await inventory.put("t", { type: "aws_eks_cluster", id: "dev", attributes: { region: "eu-west-1", vpc_config: vpc } });
  await inventory.put("t", { type: "aws_subnet", id: "s", attributes: { vpc_id: "v", cidr_block: "10.0.0.0/24" } });
  await inventory.put("t", { type: "aws_security_group", id: "nodes", attributes: { tags } });
  const cloud = createClusterCloud({ inventory }, async () => ({ tenant: "t", name: "dev" }));
  await cloud.createLoadBalancer("c", { uid: "1" });
  const volume = { namespace: "n", name: "a", sizeGiB: 1, zone: undefined, parameters: {} };
  await cloud.createVolume("c", { ...volume, uid: "2" });
  const { volumeId: kept } = await cloud.createVolume("c", { ...volume, uid: "3" });
  const leftovers = createLeftovers(inventory, "t");
  await leftovers.retainVolume(kept);
  const left = await leftovers.listLeftovers("dev");
  expect(left.map(({ type }) => type)).toEqual(["aws_lb", "aws_network_interface", "aws_ebs_volume"]);
  expect(await leftovers.listLeftovers("other")).toEqual([]);
  for (const each of left) await leftovers.removeLeftover(each);
  const rest = (await inventory.list("t")).map(({ id }) => id);
  expect(rest).toEqual([kept, "dev", "nodes", "s"]);
});
