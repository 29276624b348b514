import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Inventory } from "../../inventory/inventory.ts";
import { listTagged } from "../../inventory/list-tagged.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";

const region = "eu-west-1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };

async function open(inventory: Inventory): Promise<OpenConfiguration> {
  const opened = await openConfiguration(join(infra, "kubernetes/aws/v1.1.0"), inventory);
  onTestFinished(opened.close);
  return opened;
}

// Creates subnets in two zones directly, because the network configuration has its own test.
async function addSubnets(inventory: Inventory): Promise<void> {
  const vpc = { id: "vpc-1", region, cidr_block: "10.0.0.0/16" };
  await inventory.put("a", { type: "aws_vpc", id: vpc.id, attributes: vpc });
  for (const [index, letter] of ["a", "b"].entries()) {
    const id = `subnet-${letter}`;
    const attributes = { id, region, vpc_id: vpc.id, cidr_block: `10.0.${index}.0/24`, availability_zone: region + letter };
    await inventory.put("a", { type: "aws_subnet", id, attributes });
  }
}

const pool = (desired: number, more: object = {}): object => ({ instance_type: "t3.large", min: 1, desired, max: 5, ...more });
const cluster = (change: object = {}): object => ({
  cluster_name: "dev",
  region,
  cluster_version: "1.33",
  vpc_id: "vpc-1",
  controlplane_subnet_ids: ["subnet-a", "subnet-b"],
  private_subnet_ids: ["subnet-a", "subnet-b"],
  node_pools: { default: pool(2) },
  owner,
  ...change,
});

describe.skipIf(!terraform.found)("a cluster's configuration on the simulated AWS", () => {
  test("M120 M121 M123 M124 M126 M127 M128 the configuration creates a complete cluster, plans no further change, and deletes everything", async () => {
    const inventory = createMemoryInventory();
    await addSubnets(inventory);
    const stack = await open(inventory);
    const admin = "arn:aws:iam::123456789012:role/admin";
    const app = "arn:aws:iam::123456789012:role/app";
    await stack.give(
      cluster({
        log_types: ["audit"],
        access_entries: { [admin]: { policy: "cluster-admin" }, [app]: { policy: "view", namespaces: ["apps"], groups: ["g"] } },
        karpenter: { enabled: true },
        pod_identities: { "apps/app": app },
      }),
    );
    await stack.run("apply", "-auto-approve", "-json");
    const outputs = await stack.outputs();
    expect(outputs).toMatchObject({
      cluster_name: "dev-456789ab",
      version: "1.33",
      vpc_id: "vpc-1",
      node_group_names: ["default"],
      ready_nodes: 2,
      karpenter_queue_name: "dev-456789ab-karpenter",
      karpenter_node_role_name: "dev-456789ab-karpenter-node",
      addon_versions: { "kube-proxy": "v1.33.5-eksbuild.2" },
    });
    expect(await stack.plan()).toEqual({});
    const own = (await inventory.list("a")).filter(({ type }) => type !== "aws_vpc" && type !== "aws_subnet");
    expect(await listTagged(inventory, "a", { key: "cloudwright:entity", value: owner.entity })).toHaveLength(own.length);
    await stack.run("destroy", "-auto-approve", "-json");
    expect((await inventory.list("a")).map(({ type }) => type)).toEqual(["aws_subnet", "aws_subnet", "aws_vpc"]);
  });
});
