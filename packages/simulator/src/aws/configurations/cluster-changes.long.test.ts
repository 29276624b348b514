import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Inventory } from "../../inventory/inventory.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";
import { zoneIdOf } from "../ec2/vpc.ts";
import { accountOf } from "../place.ts";

const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const folder = (version: string): string => join(infra, "kubernetes/aws", version);
const creator = `arn:aws:iam::${accountOf("a")}:user/simulated`;

async function open(version: string, inventory: Inventory): Promise<OpenConfiguration> {
  const opened = await openConfiguration(folder(version), inventory);
  onTestFinished(opened.close);
  return opened;
}

async function addSubnets(inventory: Inventory, region: string, letters: readonly string[]): Promise<string[]> {
  const vpc = { id: "vpc-1", region, cidr_block: "10.0.0.0/16" };
  await inventory.put("a", { type: "aws_vpc", id: vpc.id, attributes: vpc });
  for (const [index, letter] of letters.entries()) {
    const zone = { availability_zone: region + letter, availability_zone_id: zoneIdOf(region, region + letter) };
    const attributes = { id: `subnet-${letter}`, region, vpc_id: vpc.id, cidr_block: `10.0.${index}.0/24`, ...zone };
    await inventory.put("a", { type: "aws_subnet", id: attributes.id, attributes });
  }
  return letters.map((letter) => `subnet-${letter}`);
}

const variables = (region: string, subnets: readonly string[], change: object = {}): object => ({
  cluster_name: "dev",
  region,
  cluster_version: "1.34",
  controlplane_subnet_ids: subnets,
  private_subnet_ids: subnets,
  addons: {},
  owner,
  ...change,
});

describe.skipIf(!terraform.found)("changes to clusters on the simulated AWS", () => {
  test("M126 M138 access entries of v0.1.0 become those of v1.1.0 at their new address, and are never deleted and created at the same time", async () => {
    const inventory = createMemoryInventory();
    const region = "eu-west-1";
    const subnets = await addSubnets(inventory, region, ["a", "b"]);
    const admin = "arn:aws:iam::123456789012:role/admin";
    const stack = await open("v0.1.0", inventory);
    await stack.give({
      name: "dev",
      region,
      kubernetes_version: "1.34",
      subnets: { control_plane: subnets, workers: subnets },
      admins: [admin],
      owner,
    });
    await stack.run("apply", "-auto-approve", "-json");
    await stack.use(folder("v1.1.0"));
    const entries = { access_entries: { [admin]: { policy: "cluster-admin" } } };
    await stack.give(variables(region, subnets, entries));
    const planned = Object.entries(await stack.plan()).filter(([address]) => address.startsWith("aws_eks_access"));
    // The association is replaced because the simulator distinguishes an empty list of namespaces from an absent one. The new association
    // has the same Terraform address, so Terraform deletes the old one first.
    expect(Object.fromEntries(planned)).toEqual({
      [`aws_eks_access_entry.this["${admin}"]`]: "update",
      [`aws_eks_access_policy_association.this["${admin}"]`]: "replace",
    });
    await stack.run("apply", "-auto-approve", "-json");
    expect(await stack.plan()).toEqual({});
  });

  test.each([
    ["us-east-1", ["a", "b", "c"], "subnet-c"],
    ["us-west-1", ["a", "b", "c"], "subnet-b"],
    ["ca-central-1", ["a", "b", "c"], "subnet-c"],
  ])("M122 a cluster in %s avoids the zone that EKS refuses for control planes", async (region, letters, refused) => {
    const inventory = createMemoryInventory();
    const subnets = await addSubnets(inventory, region, letters);
    const stack = await open("v1.1.0", inventory);
    await stack.give(variables(region, subnets));
    await stack.run("apply", "-auto-approve", "-json");
    const [cluster] = await inventory.list("a", "aws_eks_cluster");
    const { vpc_config: networks = [] } = (cluster?.attributes ?? {}) as {
      readonly vpc_config?: readonly { subnet_ids: string[] }[];
    };
    expect(networks[0]?.subnet_ids.toSorted()).toEqual(subnets.filter((id) => id !== refused));
    expect(await stack.plan()).toEqual({});
    await stack.give(variables(region, [refused, subnets.find((id) => id !== refused) ?? ""]));
    const { output } = await stack.attempt("plan", "-json");
    expect(output).toContain("requires subnets in two other zones");
  });

  test("M122 v1.0.0 passes the refused zone on, and EKS rejects it", async () => {
    const inventory = createMemoryInventory();
    const subnets = await addSubnets(inventory, "us-east-1", ["a", "b", "c"]);
    const stack = await open("v1.0.0", inventory);
    await stack.give(variables("us-east-1", subnets));
    expect((await stack.attempt("apply", "-auto-approve", "-json")).output).toContain("UnsupportedAvailabilityZoneException");
  });

  test("M126 in v1.0.0, EKS itself creates the creator's access entry and rejects the same entry from a user; in v1.1.0, it does not", async () => {
    const listed = { access_entries: { [creator]: { policy: "view" } } };
    const apply = async (version: string, more: object = {}) => {
      const inventory = createMemoryInventory();
      const subnets = await addSubnets(inventory, "eu-west-1", ["a", "b"]);
      const stack = await open(version, inventory);
      await stack.give(variables("eu-west-1", subnets, { ...listed, ...more }));
      const { code, output } = await stack.attempt("apply", "-auto-approve", "-json");
      return { code, output, entries: (await inventory.list("a", "aws_eks_access_entry")).length };
    };
    const before = await apply("v1.0.0");
    expect(before).toMatchObject({ code: 1, output: expect.stringContaining("already in use on this cluster") as string });
    expect(await apply("v1.1.0", { creator_arn: creator })).toMatchObject({ code: 0, entries: 1 });
  });

  test("M120 a log group that was deleted stays deleted, because the cluster's role is not allowed to create it", async () => {
    for (const [version, left] of [
      ["v1.0.0", 1],
      ["v1.1.0", 0],
    ] as const) {
      const inventory = createMemoryInventory();
      const subnets = await addSubnets(inventory, "eu-west-1", ["a", "b"]);
      const stack = await open(version, inventory);
      await stack.give(variables("eu-west-1", subnets, { log_types: ["audit"] }));
      await stack.run("apply", "-auto-approve", "-json");
      const [group] = await inventory.list("a", "aws_cloudwatch_log_group");
      await inventory.delete("a", { type: "aws_cloudwatch_log_group", id: group?.id ?? "" });
      // EKS writes logs until the cluster is deleted. After any change to the cluster, it recreates a missing log group if the cluster's
      // role allows it.
      await stack.give(variables("eu-west-1", subnets, { log_types: ["audit"], public_access_cidrs: ["192.0.2.0/24"] }));
      await stack.run("apply", "-auto-approve", "-json", "-target=aws_eks_cluster.this", "-refresh=false");
      expect((await inventory.list("a", "aws_cloudwatch_log_group")).length).toBe(left);
    }
  });
});
