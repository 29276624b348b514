import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Inventory } from "../../inventory/inventory.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";
import { textOf } from "../../values/read-value.ts";

const region = "eu-west-1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const apply = ["apply", "-auto-approve", "-json"] as const;
const address = 'aws_ebs_volume.this["volume"]';
const alias = "arn:aws:kms:eu-west-1:123456789012:alias/data";
const volume = (change: object): object => ({
  name: "data",
  region,
  owner,
  volume: { zone: "eu-west-1a", size_gib: 100, ...change },
});
const bucket = (change: object): object => ({ name: "logs", region, owner, bucket: change });

async function open(inventory: Inventory, version = "v1.2.0"): Promise<OpenConfiguration> {
  const opened = await openConfiguration(join(infra, "storage/aws", version), inventory);
  onTestFinished(opened.close);
  return opened;
}

describe.skipIf(!terraform.found)("changes to live storage with storage/aws/v1.2.0", () => {
  test.each([
    ["v1.1.0", { [address]: "replace" }],
    ["v1.2.0", {}],
  ])(
    "M137 a volume with the ARN of a KMS alias is planned by %s as %j, because EC2 reports the key",
    async (version, planned) => {
      const inventory = createMemoryInventory();
      const stack = await open(inventory, version);
      await stack.give(volume({ kms_key_arn: alias }));
      await stack.run(...apply);
      expect(await stack.plan()).toEqual(planned);
    },
  );

  test("M137 gp2 becomes gp3 with valid numbers, and dropped numbers return to the defaults", async () => {
    const before = await open(createMemoryInventory(), "v1.1.0");
    await before.give(volume({ type: "gp2" }));
    await before.run(...apply);
    await before.give(volume({ type: "gp3" }));
    expect((await before.attempt(...apply)).output).toContain("Volume iops of 300 is too low");

    const inventory = createMemoryInventory();
    const stack = await open(inventory);
    const read = async (): Promise<unknown> => (await inventory.list("a", "aws_ebs_volume"))[0]?.attributes;
    await stack.give(volume({ type: "gp2" }));
    await stack.run(...apply);
    await stack.give(volume({ type: "gp3" }));
    expect(await stack.plan()).toEqual({ [address]: "update" });
    await stack.run(...apply);
    expect(await read()).toMatchObject({ type: "gp3", iops: 3000, throughput: 125 });
    await stack.give(volume({ iops: 6000, throughput: 250 }));
    await stack.run(...apply);
    expect(await read()).toMatchObject({ iops: 6000, throughput: 250 });
    await stack.give(volume({}));
    await stack.run(...apply);
    expect(await read()).toMatchObject({ iops: 3000, throughput: 125 });
    expect(await stack.plan()).toEqual({});
    await stack.give(volume({ type: "io2", iops: 5000 }));
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
  });

  test("M137 a deleted volume leaves a snapshot only if its spec requests one", async () => {
    for (const [change, count] of [
      [{}, 0],
      [{ final_snapshot: true }, 1],
    ] as const) {
      const inventory = createMemoryInventory();
      const stack = await open(inventory);
      await stack.give(volume(change));
      await stack.run(...apply);
      await stack.run("destroy", "-auto-approve", "-json");
      const left = await inventory.list("a");
      expect(left).toHaveLength(count);
      for (const { type, attributes } of left) expect([type, attributes["volume_size"]]).toEqual(["aws_ebs_snapshot", 100]);
    }
  });

  test("M137 a bucket gets object lock, its own statements and an expiry for incomplete uploads, without being replaced", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory);
    await stack.give(bucket({ versioning: true }));
    await stack.run(...apply);
    expect(await inventory.list("a", "aws_s3_bucket_lifecycle_configuration")).toEqual([]);
    const deny = { Sid: "NoDeletes", Effect: "Deny", Principal: "*", Action: "s3:DeleteObject" };
    const given = {
      ...deny,
      Sid: "Given",
      Resource: "arn:aws:s3:::logs-0123456789ab/a/*",
      Condition: { Bool: { "aws:x": "true" } },
    };
    const protectedBucket = {
      versioning: true,
      abort_uploads_after_days: 7,
      object_lock: { mode: "GOVERNANCE", days: 30 },
      policy_statements: [deny, given].map((statement) => JSON.stringify(statement)),
    };
    await stack.give(bucket(protectedBucket));
    expect(await stack.plan()).toEqual({
      'aws_s3_bucket_lifecycle_configuration.this["bucket"]': "create",
      'aws_s3_bucket_object_lock_configuration.this["bucket"]': "create",
      'aws_s3_bucket_policy.this["bucket"]': "update",
    });
    await stack.run(...apply);
    const [policy] = await inventory.list("a", "aws_s3_bucket_policy");
    const arn = "arn:aws:s3:::logs-0123456789ab";
    expect(JSON.parse(textOf(policy?.attributes["policy"]))).toMatchObject({
      Statement: [{ Sid: "OnlyTls" }, { ...deny, Resource: [arn, `${arn}/*`] }, given],
    });
    expect((await inventory.list("a", "aws_s3_bucket_lifecycle_configuration"))[0]?.attributes["rule"]).toMatchObject([
      { id: "abort-uploads", abort_incomplete_multipart_upload: [{ days_after_initiation: 7 }] },
    ]);
    expect(await stack.plan()).toEqual({});
    await stack.run("destroy", "-auto-approve", "-json");
    expect(await inventory.list("a")).toEqual([]);
  });
});
