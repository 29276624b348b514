import { Fault, Secret } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownConfigurations } from "../../executor/terraform/configurations.ts";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { gcpStorage } from "./stack.ts";

const account: DeployedAccount = {
  uid: "a",
  name: "sim",
  cloud: "gcp",
  simulated: true,
  spec: { gcp: { projectId: "acme-project" } },
};
const entity = (spec: JsonObject, name = "logs") => createTestEntity("Storage", { name, spec });
const around = createTestSurroundings({
  parents: [
    { kind: "Cluster", uid: "c", name: "dev", spec: {}, outputs: {} },
    { kind: "Network", uid: "n", name: "net", spec: { region: "europe-west1" }, outputs: {} },
  ],
});
const render = (spec: JsonObject, version = "v1.0.0", name = "logs") =>
  gcpStorage.variables(entity(spec, name), account, around, version);
const key = "projects/p/locations/europe-west1/keyRings/main/cryptoKeys/storage";

test("M136 M137 a bucket is in its network's region and by default is not deleted while it contains objects", () => {
  expect(render({ bucket: { versioning: true } })).toEqual({
    name: "logs",
    project: "acme-project",
    region: "europe-west1",
    bucket: { versioning: true, expire_after_days: 0, force_destroy: false, lifecycle_rules: [] },
    owner: { project: "default", entity: "uid-1" },
    labels: {},
  });
});

test("M136 M137 key, lifecycle, lock and policy of a bucket become variables", () => {
  const bucket = {
    versioning: true,
    encryptionKey: key,
    lifecycleRules: [{ id: "cold", prefix: "a/", transitions: [{ afterDays: 30, storageClass: "ARCHIVE" }] }],
    objectLock: { mode: "COMPLIANCE", days: 30 },
    policy: { bindings: [{ role: "roles/storage.objectViewer", members: ["user:a@example.com", "group:b@example.com"] }] },
  };
  expect(render({ bucket }, "v1.1.0")["bucket"]).toMatchObject({
    kms_key_name: key,
    lifecycle_rules: [{ prefix: "a/", transitions: [{ after_days: 30, storage_class: "ARCHIVE" }] }],
    retention: { days: 30, locked: true },
    abort_uploads_after_days: 7,
    grants: [
      { role: "roles/storage.objectViewer", member: "user:a@example.com" },
      { role: "roles/storage.objectViewer", member: "group:b@example.com" },
    ],
  });
});

test("M137 a locked bucket is never replaced: its lock can be extended, but neither shortened nor removed", () => {
  const locked = { ...around, outputs: { locked_retention_days: 30 } };
  const change = (objectLock?: JsonObject): unknown => {
    const spec = entity({ bucket: { versioning: true, ...(objectLock === undefined ? {} : { objectLock }) } });
    return gcpStorage.variables(spec, account, locked, "v1.1.0")["bucket"];
  };
  for (const wrong of [undefined, { mode: "GOVERNANCE", days: 30 }, { mode: "COMPLIANCE", days: 29 }])
    expect(() => change(wrong)).toThrow(expect.objectContaining({ code: "deployer.bad_spec" }));
  expect(change({ mode: "COMPLIANCE", days: 31 })).toMatchObject({ retention: { days: 31, locked: true } });
});

test("M136 M137 a disk is in a zone of its network's region", () => {
  const plain = { zone: "europe-west1-c", size_gib: 10, type: "pd-balanced" };
  expect(render({ volume: { sizeGib: 10, zone: "c" } })["volume"]).toEqual(plain);
  const fast = { sizeGib: 10, type: "hyperdisk-balanced", iops: 4000, throughputMib: 200, encryptionKey: key };
  expect(render({ volume: fast })["volume"]).toEqual({
    zone: "europe-west1-b",
    size_gib: 10,
    type: "hyperdisk-balanced",
    iops: 4000,
    throughput: 200,
    kms_key_name: key,
  });
});

const rule = { id: "cold", expireAfterDays: 1 };
const moving = (afterDays: number, storageClass: string, expireAfterDays = 0) => ({
  bucket: { lifecycleRules: [{ id: "cold", expireAfterDays, transitions: [{ afterDays, storageClass }] }] },
});
const granting = (...bindings: JsonObject[]) => ({ bucket: { policy: { bindings } } });
const role = "roles/storage.objectViewer";
test.each([
  [{ volume: { sizeGib: 10, zone: "us-east1-b" } }, "deployer.bad_spec", "spec.volume.zone"],
  [{ volume: { sizeGib: 10, type: "gp3" } }, "deployer.bad_spec", "spec.volume.type"],
  [{ volume: { sizeGib: 10, type: "constructor" } }, "deployer.bad_spec", "spec.volume.type"],
  [{ volume: { sizeGib: 10, type: "pd-extreme" } }, "deployer.bad_spec", "spec.volume.sizeGib"],
  [{ volume: { sizeGib: 10, iops: 100 } }, "deployer.bad_spec", "spec.volume.iops"],
  [{ volume: { sizeGib: 500, type: "pd-extreme", throughputMib: 125 } }, "deployer.bad_spec", "spec.volume.throughputMib"],
  [{ volume: { sizeGib: 10, encryptionKey: "arn:aws:kms" } }, "deployer.bad_spec", "spec.volume.encryptionKey"],
  [{ bucket: { encryptionKey: key.replace("europe-west1", "us") } }, "deployer.bad_spec", "spec.bucket.encryptionKey"],
  [{ bucket: { versioning: true, replication: { bucket: "b" } } }, "deployer.bad_spec", "spec.bucket.replication"],
  [{ bucket: { lifecycleRules: [rule, rule] } }, "deployer.bad_spec", "spec.bucket.lifecycleRules[1].id"],
  [moving(90, "NEARLINE", 90), "deployer.bad_spec", "spec.bucket.lifecycleRules[0].transitions[0].afterDays"],
  [moving(0, "NEARLINE"), "deployer.bad_spec", "spec.bucket.lifecycleRules[0].transitions[0].afterDays"],
  [moving(90, "GLACIER"), "deployer.bad_spec", "spec.bucket.lifecycleRules[0].transitions[0].storageClass"],
  [granting(), "deployer.not_supported", "spec.bucket.policy", "v1.0.0"],
  [{ bucket: { azure: { redundancy: "geo" } } }, "deployer.bad_spec", "spec.bucket.azure"],
  [{ bucket: { abortUploadsAfterDays: 0 } }, "deployer.not_supported", "spec.bucket.abortUploadsAfterDays", "v1.0.0"],
  [{ volume: { sizeGib: 1, finalSnapshot: true } }, "deployer.not_supported", "spec.volume.finalSnapshot", "v1.0.0"],
  [{ bucket: { policy: { Statement: [] } } }, "deployer.bad_spec", "contains Statement", "v1.1.0"],
  [{ bucket: { policy: {} } }, "deployer.bad_spec", "spec.bucket.policy.bindings", "v1.1.0"],
  [granting({ role, members: ["allUsers"] }), "deployer.bad_spec", "never public", "v1.1.0"],
  [granting({ role, members: ["ada"] }), "deployer.bad_spec", "bindings[0].members", "v1.1.0"],
  [granting({ role, members: [] }), "deployer.bad_spec", "bindings[0].members", "v1.1.0"],
  [granting({ role: "owner", members: ["user:a@b.c"] }), "deployer.bad_spec", "bindings[0].role", "v1.1.0"],
  [granting({ role, members: ["user:a@b.c"], condition: {} }), "deployer.bad_spec", "contains condition", "v1.1.0"],
])("M137 %j is rejected with %s, which names %s", (spec, code, words, version?: string) => {
  expect(() => render(spec as JsonObject, version)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(words) as string }),
  );
});

test("M137 a bucket cannot have a name that Cloud Storage reserves, but a disk can", () => {
  expect(() => render({ bucket: {} }, "v1.0.0", "my-google-logs")).toThrow(
    expect.objectContaining({ code: "deployer.bad_spec" }),
  );
  expect(render({ volume: { sizeGib: 1 } }, "v1.0.0", "my-google-logs")).toHaveProperty("volume");
});

test.each(["v1.0.0", "v1.1.0"])("M137 every rendered value is a variable of %s", (version) => {
  const text = readFileSync(join(ownConfigurations, "storage/gcp", version, "variables.tf"), "utf8");
  const names = [...text.matchAll(/^variable "(\w+)"/gm)].map((match) => match[1] ?? "");
  const rendered = { ...render({ bucket: {} }, version), ...render({ volume: { sizeGib: 1 } }, version) };
  expect(names.toSorted()).toEqual(Object.keys(rendered).toSorted());
});

test("M137 M138 new buckets delete incomplete uploads; buckets from earlier versions keep them unless their spec says otherwise", () => {
  const findDays = (bucket: JsonObject, outputs: JsonObject): unknown => {
    const { bucket: rendered } = gcpStorage.variables(entity({ bucket }), account, { ...around, outputs }, "v1.1.0");
    return (rendered as JsonObject)["abort_uploads_after_days"];
  };
  expect(findDays({}, {})).toBe(7);
  expect(findDays({ abortUploadsAfterDays: 0 }, {})).toBe(0);
  expect(findDays({}, { infra_version: "v1.0.0" })).toBe(0);
  expect(findDays({}, { infra_version: "v1.1.0", infra_origin: "v1.0.0" })).toBe(0);
});

test("M137 the fault for a non-empty bucket includes the object count", async () => {
  const words = "Error trying to delete bucket logs-1 containing objects without `force_destroy` set to true";
  const refused = new Fault(terraformFaults.failed, words);
  const explained = await gcpStorage.explainRemovalFailure?.(
    refused,
    { countObjects: async () => 6 },
    entity({ bucket: {} }),
    {},
  );
  expect(explained).toMatchObject({ code: "deployer.bucket_not_empty", extra: { bucket: "logs-1", objects: 6 } });
});

test("M070 M032 outputs become the status, and only the spec's own grants are adopted", () => {
  const output = (value: string) => ({ isSensitive: false, type: "string", value: new Secret(value) });
  expect(gcpStorage.status({ resource_id: output("logs-1"), domain_name: output("") })).toMatchObject({ resource_id: "logs-1" });
  expect(() => gcpStorage.status({})).toThrow(expect.objectContaining({ code: "deployer.bad_outputs" }));
  const tagged = new Map([["logs-1", 'google_storage_bucket.this["bucket"]']]);
  const own = entity(granting({ role, members: ["user:a@b.c"] }));
  const find = (...names: string[]) =>
    gcpStorage.findUntagged({ type: "google_storage_bucket_iam_member", names }, tagged, () => true, own);
  expect(find("b/logs-1", role, "user:a@b.c")).toBe(`google_storage_bucket_iam_member.this["${role} user:a@b.c"]`);
  expect(find("b/logs-1", role, "user:x@b.c")).toBeUndefined();
  expect(find("b/logs-2", role, "user:a@b.c")).toBeUndefined();
});
