import { expect, test } from "vitest";
import { callProvider, type ProviderCalls } from "../testing/call-provider.ts";
import { textOf } from "../values/read-value.ts";
import type { ValueMap } from "../values/value.ts";
import { awsProvider } from "./provider.ts";

const open = (): ProviderCalls => callProvider(awsProvider, { config: { region: "eu-west-1" } });
const say = async (call: Promise<{ readonly said: readonly string[] }>): Promise<string> => (await call).said.join();

async function make(aws: ProviderCalls, type: string, config: ValueMap): Promise<ValueMap> {
  const { state, said } = await aws.create(type, config);
  if (state === null) throw new Error(said.join());
  return state;
}

test.each([
  ["aws_s3_bucket", { bucket: "Not_a_name" }, "InvalidBucketName"],
  ["aws_s3_bucket", { bucket: "taken" }, "BucketAlreadyOwnedByYou"],
  ["aws_s3_bucket_versioning", { bucket: "none", versioning_configuration: [{ status: "Enabled" }] }, "NoSuchBucket"],
  ["aws_s3_object", { bucket: "none", key: "a" }, "NoSuchBucket"],
  ["aws_s3_bucket_policy", { bucket: "taken", policy: "{" }, "MalformedPolicy"],
  ["aws_s3_bucket_acl", { bucket: "taken", acl: "private" }, "AccessControlListNotSupported"],
  [
    "aws_s3_bucket_replication_configuration",
    { bucket: "taken", role: "arn", rule: [{ status: "Enabled", destination: [{ bucket: "b" }] }] },
    "InvalidRequest: Versioning must be 'Enabled'",
  ],
])("M137 %s with %j is rejected with %s", async (type, config, words) => {
  const aws = open();
  await make(aws, "aws_s3_bucket", { bucket: "taken" });
  expect(await say(aws.create(type, config as ValueMap))).toContain(`api error ${words}`);
});

test("M137 the public access block rejects a public policy, and a bucket with objects is deleted only with force_destroy", async () => {
  const aws = open();
  const bucket = await make(aws, "aws_s3_bucket", { bucket: "logs" });
  await make(aws, "aws_s3_bucket_public_access_block", { bucket: "logs", block_public_policy: true });
  const publicPolicy = JSON.stringify({
    Statement: [{ Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: "*" }],
  });
  expect(await say(aws.create("aws_s3_bucket_policy", { bucket: "logs", policy: publicPolicy }))).toContain("AccessDenied");
  await make(aws, "aws_s3_bucket_versioning", { bucket: "logs", versioning_configuration: [{ status: "Enabled" }] });
  const object = await make(aws, "aws_s3_object", { bucket: "logs", key: "a", content: "hello" });
  expect(object["etag"]).toBe("5d41402abc4b2a76b9719d911017c592");
  expect(await say(aws.remove("aws_s3_bucket", bucket))).toMatch(/BucketNotEmpty.*not empty\. You must delete all versions/);
  const forced = await aws.update("aws_s3_bucket", bucket, { bucket: "logs", force_destroy: true });
  expect(await say(aws.remove("aws_s3_bucket", forced.state ?? {}))).toBe("");
  expect(await aws.inventory.list("a")).toEqual([]);
});

test("M127 keys, logs, queues and events reference each other as in AWS", async () => {
  const aws = open();
  const key = await make(aws, "aws_kms_key", { enable_key_rotation: true });
  const alias = { name: "alias/dev", target_key_id: textOf(key["id"]) };
  expect((await make(aws, "aws_kms_alias", alias))["target_key_arn"]).toBe(key["arn"]);
  expect(await say(aws.create("aws_kms_alias", alias))).toContain("AlreadyExistsException: An alias with the name arn:aws:kms");
  await make(aws, "aws_cloudwatch_log_group", { name: "/aws/eks/dev/cluster" });
  const again = aws.create("aws_cloudwatch_log_group", { name: "/aws/eks/dev/cluster" });
  expect(await say(again)).toContain("ResourceAlreadyExistsException: The specified log group already exists");
  const queue = await make(aws, "aws_sqs_queue", { name: "karpenter" });
  expect(queue["url"]).toMatch(/^https:\/\/sqs\.eu-west-1\.amazonaws\.com\/\d{12}\/karpenter$/);
  await make(aws, "aws_sqs_queue_policy", { queue_url: textOf(queue["url"]), policy: "{}" });
  const rule = await make(aws, "aws_cloudwatch_event_rule", { name: "spot", event_pattern: '{"source":["aws.ec2"]}' });
  const target = await make(aws, "aws_cloudwatch_event_target", { rule: "spot", arn: textOf(queue["arn"]) });
  expect(await say(aws.remove("aws_cloudwatch_event_rule", rule))).toContain("Rule can't be deleted since it has targets.");
  expect(await say(aws.create("aws_cloudwatch_event_target", { rule: "none", arn: "a" }))).toContain(
    "does not exist on EventBus",
  );
  for (const [type, state] of [
    ["aws_cloudwatch_event_target", target],
    ["aws_cloudwatch_event_rule", rule],
    ["aws_sqs_queue", queue],
    ["aws_kms_key", key],
  ] as const) {
    expect(await say(aws.remove(type, state))).toBe("");
  }
  expect((await aws.inventory.list("a")).map(({ type }) => type)).toEqual(["aws_cloudwatch_log_group"]);
});

test("M137 a volume grows, never shrinks, and cannot be deleted while it is attached", async () => {
  const aws = open();
  const volume = { availability_zone: "eu-west-1a", size: 10, type: "gp3" };
  const state = await make(aws, "aws_ebs_volume", volume);
  expect(state).toMatchObject({ iops: 3000, throughput: 125, encrypted: false });
  expect(await say(aws.update("aws_ebs_volume", state, { ...volume, size: 5 }))).toContain("New size cannot be smaller");
  for (const [wrong, words] of [
    [{ type: "gp2", size: 16_385 }, "too large for volume type gp2; maximum is 16384GiB"],
    [{ type: "gp3", size: 65_537 }, "too large for volume type gp3; maximum is 65536GiB"],
    [{ type: "st1", size: 124 }, "too small for volume type st1; minimum is 125GiB"],
    [{ type: "gp3", size: 200, iops: 80_001 }, "too high; maximum is 80000"],
    [{ type: "gp9", size: 20 }, "(gp9) for parameter volumeType is invalid"],
  ] as const)
    expect(await say(aws.create("aws_ebs_volume", { ...volume, ...wrong }))).toContain(words);
  expect((await aws.update("aws_ebs_volume", state, { ...volume, size: 20 })).state).toMatchObject({ size: 20 });
  const machine = await make(aws, "aws_instance", { ami: "ami-0123456789abcdef0", instance_type: "t3.micro" });
  const attached = { device_name: "/dev/sdf", instance_id: textOf(machine["id"]), volume_id: textOf(state["id"]) };
  await make(aws, "aws_volume_attachment", attached);
  expect(await say(aws.remove("aws_ebs_volume", state))).toContain("VolumeInUse");
});
