import { expect, test } from "vitest";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { callProvider } from "../../testing/call-provider.ts";
import { awsProvider } from "../provider.ts";
import { createClusterCloud, listClusters } from "../../managed-kubernetes.ts";

const region = "eu-west-1";

async function openCluster(desired: number) {
  const inventory = createMemoryInventory();
  const vpc = { id: "vpc-1", region, cidr_block: "10.0.0.0/16" };
  await inventory.put("a", { type: "aws_vpc", id: vpc.id, attributes: vpc });
  for (const [index, letter] of ["a", "b"].entries()) {
    const id = `subnet-${letter}`;
    const attributes = { id, region, vpc_id: vpc.id, cidr_block: `10.0.${index}.0/24`, availability_zone: region + letter };
    await inventory.put("a", { type: "aws_subnet", id, attributes });
  }
  const cluster = {
    name: "dev",
    region,
    version: "1.34",
    vpc_config: [{ vpc_id: vpc.id, subnet_ids: ["subnet-a", "subnet-b"] }],
  };
  await inventory.put("a", { type: "aws_eks_cluster", id: "dev", attributes: cluster });
  const group = {
    cluster_name: "dev",
    node_group_name: "workers",
    region,
    version: "1.33",
    subnet_ids: ["subnet-b", "subnet-a"],
    instance_types: ["m5.xlarge"],
    capacity_type: "SPOT",
    labels: { team: "a" },
    taint: [{ key: "k", value: null, effect: "NO_EXECUTE" }],
    scaling_config: [{ min_size: 0, desired_size: desired, max_size: 9 }],
  };
  await inventory.put("a", { type: "aws_eks_node_group", id: "dev:workers", attributes: group });
  return inventory;
}

test("M124 a cluster's nodes come from its node groups, are spread over zones, and scaling replaces none", async () => {
  const [small] = await listClusters(await openCluster(2), "a");
  const [large] = await listClusters(await openCluster(3), "a");
  expect(small).toMatchObject({ name: "dev", region, version: "v1.34.2" });
  expect(large?.nodes.slice(0, 2)).toEqual(small?.nodes);
  expect(large?.nodes.map(({ zone }) => zone)).toEqual(["eu-west-1a", "eu-west-1b", "eu-west-1a"]);
  expect(small?.nodes[0]).toMatchObject({
    instanceType: "m5.xlarge",
    cpu: 4,
    memoryGiB: 16,
    version: "v1.33.5",
    labels: { team: "a", "eks.amazonaws.com/nodegroup": "workers", "eks.amazonaws.com/capacityType": "SPOT" },
    taints: [{ key: "k", value: "", effect: "NoExecute" }],
    name: expect.stringMatching(/^ip-10-0-0-\d+\.eu-west-1\.compute\.internal$/),
    providerId: expect.stringMatching(/^aws:\/\/\/eu-west-1a\/i-[0-9a-f]{17}$/),
  });
  expect(await listClusters(createMemoryInventory(), "a")).toEqual([]);
});

test("M032 load balancers and volumes that a cluster created block the deletion of the network until they are gone", async () => {
  const inventory = await openCluster(0);
  const cloud = createClusterCloud({ inventory }, async () => ({ tenant: "a", name: "dev" }));
  const uid = "0199aaaa-0000-7000-8000-0123456789ab";
  const first = await cloud.createLoadBalancer("id", { uid });
  expect(await cloud.createLoadBalancer("id", { uid })).toEqual(first);
  expect(first.hostname).toMatch(/\.elb\.eu-west-1\.amazonaws\.com$/);
  expect(await inventory.list("a", "aws_network_interface")).toHaveLength(2);
  const claim = { uid, namespace: "default", name: "data", sizeGiB: 20, zone: "eu-west-1b", parameters: {} };
  const { volumeId } = await cloud.createVolume("id", claim);
  await cloud.resizeVolume("id", volumeId, 30);
  expect((await cloud.createVolume("id", claim)).volumeId).toBe(volumeId);
  const volume = await inventory.find("a", { type: "aws_ebs_volume", id: volumeId });
  expect(volume?.attributes).toMatchObject({
    size: 30,
    availability_zone: "eu-west-1b",
    tags: { "kubernetes.io/cluster/dev": "owned" },
  });

  for (const type of ["aws_eks_cluster", "aws_eks_node_group"]) {
    for (const { id } of await inventory.list("a", type)) await inventory.delete("a", { type, id });
  }
  const aws = callProvider(awsProvider, { config: { region }, inventory });
  const remove = async (): Promise<string> => {
    const subnet = await inventory.find("a", { type: "aws_subnet", id: "subnet-a" });
    return (await aws.remove("aws_subnet", subnet?.attributes ?? {})).said.join();
  };
  expect(await remove()).toContain("DependencyViolation");
  await cloud.deleteLoadBalancer("id", uid);
  expect(await remove()).toBe("");
  await cloud.deleteVolume("id", volumeId);
  expect((await inventory.list("a")).map(({ type }) => type)).toEqual(["aws_subnet", "aws_vpc"]);
});
