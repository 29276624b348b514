import { Fault, Secret } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ownConfigurations } from "../../executor/terraform/configurations.ts";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { awsStorage } from "./stack.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "aws", simulated: true, spec: {} };
const entity = (spec: JsonObject) => createTestEntity("Storage", { name: "logs", spec });
const around = createTestSurroundings({
  parents: [
    { kind: "Cluster", uid: "c", name: "dev", spec: {}, outputs: {} },
    { kind: "Network", uid: "n", name: "net", spec: { region: "eu-west-1" }, outputs: {} },
  ],
});
const render = (spec: JsonObject, version = "v1.0.0") => awsStorage.variables(entity(spec), account, around, version);

test("M137 a bucket is in its network's region and by default is not deleted while it contains objects", () => {
  expect(render({ bucket: { versioning: true } }, "v0.1.0")).toEqual({
    name: "logs",
    region: "eu-west-1",
    bucket: { versioning: true, expire_after_days: 0, force_destroy: false },
    owner: { project: "default", entity: "uid-1" },
    tags: {},
  });
  expect(render({ bucket: { forceDestroy: true, expireAfterDays: 7 } })["bucket"]).toMatchObject({
    expire_after_days: 7,
    force_destroy: true,
  });
});

test("M137 key, lifecycle and replication of a bucket become variables", () => {
  const bucket = {
    versioning: true,
    encryptionKey: "arn:aws:kms:eu-west-1:123456789012:key/1",
    lifecycleRules: [{ id: "cold", prefix: "a/", transitions: [{ afterDays: 30, storageClass: "GLACIER" }] }],
    replication: {
      bucket: "arn:aws:s3:::copies",
      storageClass: "STANDARD_IA",
      encryptionKey: "arn:aws:kms:eu-west-1:123456789012:key/2",
    },
  };
  expect(render({ bucket })["bucket"]).toEqual({
    versioning: true,
    expire_after_days: 0,
    force_destroy: false,
    kms_key_arn: bucket.encryptionKey,
    lifecycle_rules: [
      {
        id: "cold",
        prefix: "a/",
        expire_after_days: 0,
        expire_noncurrent_after_days: 0,
        abort_uploads_after_days: 0,
        transitions: [{ after_days: 30, storage_class: "GLACIER" }],
      },
    ],
    replication: {
      bucket_arn: "arn:aws:s3:::copies",
      prefix: "",
      storage_class: "STANDARD_IA",
      kms_key_arn: bucket.replication.encryptionKey,
    },
  });
});

test("M137 a volume is in a zone of its network's region", () => {
  expect(render({ volume: { sizeGib: 10, zone: "b" } })["volume"]).toEqual({ zone: "eu-west-1b", size_gib: 10, type: "gp3" });
  const fast = { volume: { sizeGib: 10, type: "io2", iops: 3000 } };
  expect(render(fast)["volume"]).toEqual({ zone: "eu-west-1a", size_gib: 10, type: "io2", iops: 3000 });
});

const rule = { id: "cold", expireAfterDays: 1 };
const moving = (afterDays: number, storageClass: string, expireAfterDays = 0) => ({
  bucket: { lifecycleRules: [{ id: "cold", expireAfterDays, transitions: [{ afterDays, storageClass }] }] },
});
const statement = { Effect: "Allow", Principal: "*", Action: "s3:GetObject" };
const copies = { bucket: "arn:aws:s3:::copies" };
test.each([
  [{ volume: { sizeGib: 10, zone: "us-east-1a" } }, "deployer.bad_spec", "spec.volume.zone"],
  [{ volume: { sizeGib: 10, type: "ssd" } }, "deployer.bad_spec", "spec.volume.type"],
  [{ volume: { sizeGib: 10, type: "io2" } }, "deployer.bad_spec", "spec.volume.iops"],
  [{ volume: { sizeGib: 10, type: "st1", iops: 100 } }, "deployer.bad_spec", "spec.volume.iops"],
  [{ volume: { sizeGib: 10, type: "io2", iops: 100, throughputMib: 125 } }, "deployer.bad_spec", "spec.volume.throughputMib"],
  [{ bucket: { lifecycleRules: [rule, rule] } }, "deployer.bad_spec", "spec.bucket.lifecycleRules[1].id"],
  [{ bucket: { lifecycleRules: [{ ...rule, id: "expire" }] } }, "deployer.bad_spec", "spec.bucket.lifecycleRules[0].id"],
  [moving(10, "STANDARD_IA"), "deployer.bad_spec", "spec.bucket.lifecycleRules[0].transitions[0].afterDays"],
  [moving(90, "GLACIER", 90), "deployer.bad_spec", "spec.bucket.lifecycleRules[0].transitions[0].afterDays"],
  [moving(90, "ICE"), "deployer.bad_spec", "spec.bucket.lifecycleRules[0].transitions[0].storageClass"],
  [{ bucket: { encryptionKey: "arn", replication: copies } }, "deployer.bad_spec", "spec.bucket.replication.encryptionKey"],
  [
    { bucket: { replication: { ...copies, encryptionKey: "arn" } } },
    "deployer.bad_spec",
    "spec.bucket.replication.encryptionKey",
  ],
  [{ bucket: { lifecycleRules: [rule] } }, "deployer.not_supported", "spec.bucket.lifecycleRules", "v0.1.0"],
  [{ volume: { sizeGib: 10, iops: 4000 } }, "deployer.not_supported", "spec.volume.iops", "v0.1.0"],
  [{ volume: { sizeGib: 10, finalSnapshot: true } }, "deployer.not_supported", "spec.volume.finalSnapshot", "v1.1.0"],
  [{ bucket: { azure: { redundancy: "geo" } } }, "deployer.bad_spec", "spec.bucket.azure"],
  [{ bucket: { abortUploadsAfterDays: 0 } }, "deployer.not_supported", "spec.bucket.abortUploadsAfterDays", "v0.1.0"],
  [{ bucket: { policy: {} } }, "deployer.not_supported", "spec.bucket.policy", "v1.1.0"],
  [{ bucket: { policy: {} } }, "deployer.bad_spec", "spec.bucket.policy.Statement[0]", "v1.2.0"],
  [
    { bucket: { policy: { Statement: [], statement: [] } } },
    "deployer.bad_spec",
    "spec.bucket.policy contains statement",
    "v1.2.0",
  ],
  [{ bucket: { policy: { Version: "2008-10-17", Statement: [] } } }, "deployer.bad_spec", "spec.bucket.policy.Version", "v1.2.0"],
  [
    { bucket: { policy: { Statement: [{ ...statement, Effect: "Permit" }] } } },
    "deployer.bad_spec",
    "Statement[0].Effect",
    "v1.2.0",
  ],
  [{ bucket: { policy: { Statement: [{ ...statement, Sid: "OnlyTls" }] } } }, "deployer.bad_spec", "Statement[0].Sid", "v1.2.0"],
  [
    { bucket: { policy: { Statement: [{ Effect: "Allow", Principal: "*" }] } } },
    "deployer.bad_spec",
    "must have an Action",
    "v1.2.0",
  ],
  [
    { bucket: { policy: { Statement: [{ Effect: "Allow", Action: "*" }] } } },
    "deployer.bad_spec",
    "must have a Principal",
    "v1.2.0",
  ],
  [
    { bucket: { lifecycleRules: [{ ...rule, id: "abort-uploads" }] } },
    "deployer.bad_spec",
    "spec.bucket.lifecycleRules[0].id",
    "v1.2.0",
  ],
])("M137 %j is rejected with %s, which names the field %s", (spec, code, field, version?: string) => {
  expect(() => render(spec as JsonObject, version)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(field) as string }),
  );
});

test.each(["v0.1.0", "v1.0.0", "v1.1.0", "v1.2.0"])("M137 every rendered value is a variable of %s", (version) => {
  const text = readFileSync(join(ownConfigurations, "storage/aws", version, "variables.tf"), "utf8");
  const names = [...text.matchAll(/^variable "(\w+)"/gm)].map((match) => match[1] ?? "");
  const rendered = { ...render({ bucket: {} }, version), ...render({ volume: { sizeGib: 1 } }, version) };
  expect(names.toSorted()).toEqual(Object.keys(rendered).toSorted());
});

test("M137 M138 new buckets delete incomplete uploads; buckets from earlier versions keep them unless their spec says otherwise", () => {
  const findDays = (bucket: JsonObject, outputs: JsonObject): unknown => {
    const beside = { ...around, outputs };
    const { bucket: rendered } = awsStorage.variables(entity({ bucket }), account, beside, "v1.2.0");
    return (rendered as JsonObject)["abort_uploads_after_days"];
  };
  expect(findDays({}, {})).toBe(7);
  expect(findDays({ abortUploadsAfterDays: 0 }, {})).toBe(0);
  expect(findDays({}, { infra_version: "v1.1.0" })).toBe(0);
  expect(findDays({}, { infra_version: "v1.2.0", infra_origin: "v1.1.0" })).toBe(0);
  expect(findDays({}, { infra_version: "v1.2.0", infra_origin: "v1.2.0" })).toBe(7);
  expect(findDays({ abortUploadsAfterDays: 3 }, { infra_version: "v1.1.0" })).toBe(3);
  expect(render({ bucket: { lifecycleRules: [{ ...rule, id: "abort-uploads" }] } }, "v1.1.0")["bucket"]).not.toHaveProperty(
    "abort_uploads_after_days",
  );
});

test("M137 the fault for a non-empty bucket includes the object count if the cloud can count objects", async () => {
  const words =
    'aws_s3_bucket.this["bucket"]: deleting S3 Bucket (logs-1): operation error S3: DeleteBucket, https response error StatusCode: 409, RequestID: 1, HostID: 2, api error BucketNotEmpty: The bucket you tried to delete is not empty';
  const refused = new Fault(terraformFaults.failed, words);
  const explain = (fault: Fault, cloud: { countObjects?: (bucket: string) => Promise<number> }) =>
    awsStorage.explainRemovalFailure?.(fault, cloud, entity({ bucket: {} }), {});
  const explained = await explain(refused, { countObjects: async (bucket) => bucket.length });
  expect(explained).toMatchObject({ code: "deployer.bucket_not_empty", retry: "never", extra: { bucket: "logs-1", objects: 6 } });
  expect(await explain(refused, {})).toMatchObject({ extra: { bucket: "logs-1" } });
  const { signal } = new AbortController();
  const prepare = (bucket: JsonObject, objects: number) =>
    awsStorage.prepareRemoval?.(entity({ bucket }), { resource_id: "logs-1" }, { countObjects: async () => objects }, signal);
  await expect(prepare({}, 1)).rejects.toMatchObject({ code: "deployer.bucket_not_empty", extra: { objects: 1 } });
  await expect(prepare({}, 0)).resolves.toEqual({ applyFirst: false });
  await expect(prepare({ forceDestroy: true }, 0)).resolves.toEqual({ applyFirst: false });
  await expect(prepare({ forceDestroy: true }, 1)).resolves.toEqual({ applyFirst: true });
  expect(await explain(new Fault(terraformFaults.failed, "AccessDenied"), {})).toBeUndefined();
});

test("M070 M032 outputs become the status, and bucket settings are found through their bucket", () => {
  const output = (value: string) => ({ isSensitive: false, type: "string", value: new Secret(value) });
  const outputs = { resource_id: output("logs-1"), arn: output("arn"), domain_name: output("") };
  expect(awsStorage.status(outputs)).toEqual({ resource_id: "logs-1", arn: "arn", domain_name: "" });
  expect(() => awsStorage.status({})).toThrow(expect.objectContaining({ code: "deployer.bad_outputs" }));
  const tagged = new Map([
    ["logs-1", 'aws_s3_bucket.this["bucket"]'],
    ["logs-replication-1", 'aws_iam_role.replication["bucket"]'],
  ]);
  const policy = { type: "aws_iam_role_policy", names: ["replicate", "logs-replication-1"] };
  expect(awsStorage.findUntagged(policy, tagged, () => true, entity({}))).toBe('aws_iam_role_policy.replication["bucket"]');
  const setting = { type: "aws_s3_bucket_versioning", names: ["logs-1"] };
  expect(awsStorage.findUntagged(setting, tagged, () => true, entity({}))).toBe('aws_s3_bucket_versioning.this["bucket"]');
  expect(awsStorage.findUntagged({ ...setting, type: "aws_s3_object" }, tagged, () => true, entity({}))).toBeUndefined();
});

test("M137 X010 a deletion takes one final snapshot of a volume of any type, and waits until it is complete", async () => {
  const outputs = { resource_id: "vol-1" };
  const seen: unknown[] = [];
  const cloud = {
    snapshotVolume: async (volume: string, { entityUid, name }: { entityUid: string; name: string }) => {
      seen.push([volume, entityUid, name]);
      return seen.length > 1;
    },
  };
  const { signal } = new AbortController();
  const prepare = (volume: JsonObject, from: JsonObject = outputs) =>
    awsStorage.prepareRemoval?.(entity({ volume }), from, cloud, signal);
  vi.useFakeTimers();
  const waiting = prepare({ sizeGib: 10, type: "st1", finalSnapshot: true });
  await vi.advanceTimersByTimeAsync(10_000);
  vi.useRealTimers();
  expect(await waiting).toEqual({ applyFirst: true });
  const { uid, name } = entity({});
  expect(seen).toEqual([
    ["vol-1", uid, name],
    ["vol-1", uid, name],
  ]);
  expect(await prepare({ sizeGib: 10 })).toEqual({ applyFirst: false });
  await prepare({ sizeGib: 10, finalSnapshot: true }, {});
  expect(seen).toHaveLength(2);
});
