import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { changeRecord, type Inventory } from "../../inventory/inventory.ts";
import { listTagged } from "../../inventory/list-tagged.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";
import { awsProvider } from "../provider.ts";

if (!terraform.found) console.log(`skipped: ${terraform.reason}`);
const region = "eu-west-1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };

async function open(place: string, inventory: Inventory): Promise<OpenConfiguration> {
  const opened = await openConfiguration(join(infra, place), inventory);
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
  name: "dev",
  region,
  kubernetes_version: "1.33",
  subnets: { control_plane: ["subnet-a", "subnet-b"], workers: ["subnet-a", "subnet-b"] },
  node_pools: { default: pool(2) },
  owner,
  ...change,
});

describe.skipIf(!terraform.found)("the configurations on the simulated AWS", () => {
  test("M063 M067 a network is created, gains a zone without touching the others, is stable, drifts and is deleted", async () => {
    const inventory = createMemoryInventory();
    const stack = await open("network/aws/v0.1.0", inventory);
    const network = (letters: readonly string[]): object => {
      const ranges = letters.map((letter, index) => [
        region + letter,
        { public: `10.0.${index}.0/24`, private: `10.0.${index + 10}.0/24`, intra: `10.0.${index + 20}.0/24` },
      ]);
      return { name: "n", region, cidr: "10.0.0.0/16", zones: Object.fromEntries(ranges), nat: "single", owner };
    };
    await stack.give(network([]));
    expect((await stack.attempt("apply", "-auto-approve", "-json")).code).toBe(1);
    expect(await inventory.list("a")).toEqual([]);
    await stack.give(network(["a"]));
    await stack.run("apply", "-auto-approve", "-json");
    const before = await inventory.list("a");
    await stack.give(network(["a", "b"]));
    await stack.run("apply", "-auto-approve", "-json");
    const after = await inventory.list("a");
    expect(after.map(({ id }) => id)).toEqual(expect.arrayContaining(before.map(({ id }) => id)));
    expect(after.filter(({ type }) => type === "aws_subnet")).toHaveLength(6);
    expect(await stack.plan()).toEqual({});
    expect(await listTagged(inventory, "a", { key: "cloudwright:entity", value: owner.entity })).toHaveLength(after.length);
    const [vpc] = await inventory.list("a", "aws_vpc");
    await changeRecord(inventory, "a", { type: "aws_vpc", id: vpc?.id ?? "" }, { enable_dns_hostnames: false });
    expect(await stack.plan()).toEqual({ "aws_vpc.this": "update" });
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });

  test("M032 one resource of each AWS type is created, is stable, and is deleted without leftovers", async () => {
    const inventory = createMemoryInventory();
    const stack = await openConfiguration(join(import.meta.dirname, "../testing"), inventory);
    onTestFinished(stack.close);
    await stack.run("apply", "-auto-approve", "-json");
    const made = new Set((await inventory.list("a")).map(({ type }) => type));
    expect([...made].toSorted()).toEqual(Object.keys(awsProvider.schema.resources).toSorted());
    expect(await stack.plan()).toEqual({});
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });

  test("M120 M123 M124 M125 M126 a cluster is created, scaled, upgraded and deleted, and only necessary changes happen", async () => {
    const inventory = createMemoryInventory();
    await addSubnets(inventory);
    const stack = await open("kubernetes/aws/v0.1.0", inventory);
    const admin = "arn:aws:iam::123456789012:role/admin";
    await stack.give(cluster({ admins: [admin] }));
    await stack.run("apply", "-auto-approve", "-json");
    const outputs = await stack.outputs();
    expect(outputs).toMatchObject({ version: "1.33", node_group_names: ["default"], ready_nodes: 2 });
    expect(outputs["cluster_name"]).toBe("dev-456789ab");
    expect(outputs["endpoint"]).toMatch(/^https:\/\/[0-9A-F]{32}\.gr\d\.eu-west-1\.eks\.amazonaws\.com$/);
    expect(Buffer.from(String(outputs["certificate_authority"]), "base64").toString()).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(outputs["oidc_provider_arn"]).toBe(
      `arn:aws:iam::${String(outputs["cluster_arn"]).split(":")[4]}:oidc-provider/${String(outputs["oidc_issuer"]).slice(8)}`,
    );
    const own = (await inventory.list("a")).filter(({ type }) => type !== "aws_vpc" && type !== "aws_subnet");
    // EKS itself creates the access entry of the cluster's creator.
    expect(own.map(({ type }) => type)).toEqual([
      "aws_eks_access_entry",
      "aws_eks_access_entry",
      "aws_eks_access_policy_association",
      "aws_eks_cluster",
      "aws_eks_node_group",
      "aws_iam_openid_connect_provider",
      "aws_iam_role",
      "aws_iam_role",
      ...Array.from({ length: 5 }, () => "aws_iam_role_policy_attachment"),
    ]);
    expect(await listTagged(inventory, "a", { key: "cloudwright:entity", value: owner.entity })).toHaveLength(own.length);
    expect(await stack.plan()).toEqual({});

    await stack.give(cluster({ node_pools: { default: pool(3), spot: pool(1, { capacity: "spot", zones: ["eu-west-1b"] }) } }));
    expect(await stack.plan()).toEqual({
      'aws_eks_access_entry.admin["arn:aws:iam::123456789012:role/admin"]': "delete",
      'aws_eks_access_policy_association.admin["arn:aws:iam::123456789012:role/admin"]': "delete",
      'aws_eks_node_group.pool["default"]': "update",
      'aws_eks_node_group.pool["spot"]': "create",
    });
    await stack.run("apply", "-auto-approve", "-json");
    const spot = await inventory.find("a", { type: "aws_eks_node_group", id: "dev-456789ab:spot" });
    expect(spot?.attributes).toMatchObject({ subnet_ids: ["subnet-b"], capacity_type: "SPOT", version: "1.33" });

    const upgraded = { kubernetes_version: "1.34", node_pools: { default: pool(3, { instance_type: "m7g.large" }) } };
    await stack.give(cluster(upgraded));
    expect(await stack.plan()).toEqual({
      "aws_eks_cluster.this": "update",
      'aws_eks_node_group.pool["default"]': "replace",
      'aws_eks_node_group.pool["spot"]': "delete",
    });
    await stack.run("apply", "-auto-approve", "-json");
    expect(await stack.outputs()).toMatchObject({ version: "1.34", ready_nodes: 3 });
    const group = await inventory.find("a", { type: "aws_eks_node_group", id: "dev-456789ab:default" });
    expect(group?.attributes).toMatchObject({ version: "1.34", ami_type: "BOTTLEROCKET_ARM_64" });

    await stack.run("destroy", "-auto-approve", "-json");
    expect((await inventory.list("a")).map(({ type }) => type)).toEqual(["aws_subnet", "aws_subnet", "aws_vpc"]);
  });

  test("M120 an invalid cluster is rejected with the error that AWS returns, and given roles are not created", async () => {
    const inventory = createMemoryInventory();
    await addSubnets(inventory);
    const stack = await open("kubernetes/aws/v0.1.0", inventory);
    const given = { cluster: "arn:aws:iam::123456789012:role/eks", nodes: "arn:aws:iam::123456789012:role/nodes" };
    await stack.give(cluster({ roles: given, kubernetes_version: "1.12" }));
    const refused = await stack.attempt("apply", "-auto-approve", "-json");
    expect(refused.code).toBe(1);
    expect(refused.output).toContain("InvalidParameterException: unsupported Kubernetes version 1.12");
    await stack.give(cluster({ roles: given }));
    await stack.run("apply", "-auto-approve", "-json");
    expect(await inventory.list("a", "aws_iam_role")).toEqual([]);
    await stack.give(cluster({ roles: given, kubernetes_version: "1.35" }));
    const leap = await stack.attempt("apply", "-auto-approve", "-json");
    expect(leap.output).toContain("Unsupported Kubernetes minor version update from 1.33 to 1.35");
    for (const wrong of [
      { node_pools: { default: pool(9) } },
      { subnets: { control_plane: ["subnet-a"], workers: ["subnet-a"] } },
    ]) {
      await stack.give(cluster(wrong));
      expect((await stack.attempt("plan", "-json")).code).toBe(1);
    }
  });

  test("M137 a bucket is created, changed, protected while it has objects, replaced under another name, and deleted", async () => {
    const inventory = createMemoryInventory();
    const stack = await open("storage/aws/v0.1.0", inventory);
    const bucket = (change: object, more: object = {}): object => ({ name: "logs", region, bucket: change, owner, ...more });
    await stack.give(bucket({ versioning: true }));
    await stack.run("apply", "-auto-approve", "-json");
    const id = "logs-0123456789ab";
    expect(await stack.outputs()).toEqual({
      resource_id: id,
      arn: `arn:aws:s3:::${id}`,
      domain_name: `${id}.s3.eu-west-1.amazonaws.com`,
    });
    expect(await stack.plan()).toEqual({});
    const all = await inventory.list("a");
    expect(await listTagged(inventory, "a", { key: "cloudwright:entity", value: owner.entity })).toHaveLength(all.length);

    await stack.give(bucket({ versioning: false, expire_after_days: 30 }));
    expect(await stack.plan()).toEqual({
      'aws_s3_bucket_versioning.this["bucket"]': "update",
      'aws_s3_bucket_lifecycle_configuration.this["bucket"]': "create",
    });
    await stack.run("apply", "-auto-approve", "-json");
    expect(await stack.plan()).toEqual({});

    const left = { type: "aws_s3_object", id: `${id}/a`, attributes: { id: `${id}/a`, bucket: id, key: "a" } };
    await inventory.put("a", left);
    const refused = await stack.attempt("destroy", "-auto-approve", "-json");
    expect(refused.output).toContain("BucketNotEmpty: The bucket you tried to delete is not empty");
    await stack.give(bucket({ force_destroy: true }));
    await stack.run("apply", "-auto-approve", "-json");
    await stack.give(bucket({ force_destroy: true }, { name: "other" }));
    expect((await stack.plan())['aws_s3_bucket.this["bucket"]']).toBe("replace");
    await stack.run("apply", "-auto-approve", "-json");
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });

  test("M137 a volume grows in place and is replaced in another zone", async () => {
    const inventory = createMemoryInventory();
    const stack = await open("storage/aws/v0.1.0", inventory);
    const volume = (change: object): object => ({
      name: "data",
      region,
      volume: { zone: "eu-west-1a", size_gib: 10, ...change },
      owner,
    });
    await stack.give(volume({}));
    await stack.run("apply", "-auto-approve", "-json");
    await stack.give(volume({ size_gib: 20 }));
    expect(await stack.plan()).toEqual({ 'aws_ebs_volume.this["volume"]': "update" });
    await stack.run("apply", "-auto-approve", "-json");
    await stack.give(volume({ size_gib: 20, zone: "eu-west-1b" }));
    expect(await stack.plan()).toEqual({ 'aws_ebs_volume.this["volume"]': "replace" });
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });
});
