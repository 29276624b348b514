import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { changeRecord, type Inventory } from "../../inventory/inventory.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";

const region = "europe-west1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const apply = ["apply", "-auto-approve", "-json"] as const;
const destroy = ["destroy", "-auto-approve", "-json"] as const;
const key = `projects/acme-project/locations/${region}/keyRings/main/cryptoKeys/storage`;
const placeOf = (version: string): string => join(infra, "storage/gcp", version);

async function open(inventory: Inventory, version: string): Promise<OpenConfiguration> {
  const opened = await openConfiguration(placeOf(version), inventory);
  onTestFinished(opened.close);
  return opened;
}
const storage = (kind: object): object => ({ name: "logs", project: "acme-project", region, owner, ...kind });

describe.skipIf(!terraform.found)("storage/gcp on the simulated Google Cloud", () => {
  test("M136 M137 M138 a bucket is private, is stable, survives an upgrade in place, and is not deleted while it contains objects", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory, "v1.0.0");
    const bucket = {
      versioning: true,
      expire_after_days: 90,
      kms_key_name: key,
      lifecycle_rules: [
        { prefix: "a/", abort_uploads_after_days: 3, transitions: [{ after_days: 30, storage_class: "COLDLINE" }] },
      ],
      retention: { days: 2 },
    };
    await stack.give(storage({ bucket, labels: { team: "a" } }));
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    const name = "logs-0123456789ab";
    expect(await stack.outputs()).toEqual({
      resource_id: name,
      locked_retention_days: 0,
      domain_name: `${name}.storage.googleapis.com`,
    });
    expect((await inventory.find("a", { type: "google_storage_bucket", id: name }))?.attributes).toMatchObject({
      location: "EUROPE-WEST1",
      public_access_prevention: "enforced",
      uniform_bucket_level_access: true,
      versioning: [{ enabled: true }],
      encryption: [{ default_kms_key_name: key }],
      retention_policy: [{ retention_period: "172800", is_locked: false }],
      labels: { cloudwright_entity: owner.entity, cloudwright_part: "this__2fbucket", team: "a" },
      lifecycle_rule: [
        { action: [{ type: "Delete" }], condition: [{ age: 90, with_state: "LIVE" }] },
        { action: [{ type: "Delete" }], condition: [{ days_since_noncurrent_time: 90, with_state: "ARCHIVED" }] },
        { action: [{ type: "AbortIncompleteMultipartUpload" }], condition: [{ age: 3, matches_prefix: ["a/"] }] },
        { action: [{ type: "SetStorageClass", storage_class: "COLDLINE" }], condition: [{ age: 30, matches_prefix: ["a/"] }] },
      ],
    });
    await stack.use(placeOf("v1.1.0"));
    const grants = [{ role: "roles/storage.objectViewer", member: "group:ops@example.com" }];
    await stack.give(storage({ bucket: { ...bucket, retention: null, grants } }));
    expect(await stack.plan()).toEqual({
      'google_storage_bucket.this["bucket"]': "update",
      'google_storage_bucket_iam_member.this["roles/storage.objectViewer group:ops@example.com"]': "create",
    });
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    await changeRecord(inventory, "a", { type: "google_storage_bucket", id: name }, { object_count: 2 });
    const refused = await stack.attempt(...destroy);
    expect([refused.code, refused.output.includes(`delete bucket ${name} containing objects without`)]).toEqual([1, true]);
    await stack.give(storage({ bucket: { force_destroy: true } }));
    await stack.run(...apply);
    await stack.run(...destroy);
    expect(await inventory.list("a")).toEqual([]);
  });

  test("M136 M137 M138 a disk is stable, grows in place, is upgraded in place, and leaves a snapshot if requested", async () => {
    const inventory = createMemoryInventory();
    const stack = await open(inventory, "v1.0.0");
    const volume = { zone: "europe-west1-b", size_gib: 10, type: "hyperdisk-balanced", iops: 4000, throughput: 200 };
    await stack.give(storage({ volume: { ...volume, kms_key_name: key } }));
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    const id = "projects/acme-project/zones/europe-west1-b/disks/logs-0123456789ab";
    expect(await stack.outputs()).toEqual({ resource_id: id, locked_retention_days: 0, domain_name: "" });
    const grown = { ...volume, kms_key_name: key, size_gib: 20 };
    await stack.give(storage({ volume: grown }));
    expect(await stack.plan()).toEqual({ 'google_compute_disk.this["volume"]': "update" });
    await stack.run(...apply);
    await stack.give(storage({ volume: { ...volume, kms_key_name: key } }));
    expect(await stack.plan()).toEqual({ 'google_compute_disk.this["volume"]': "replace" });
    await stack.use(placeOf("v1.1.0"));
    await stack.give(storage({ volume: { ...grown, final_snapshot: true } }));
    expect(await stack.plan()).toEqual({ 'google_compute_disk.this["volume"]': "update" });
    await stack.run(...apply);
    await stack.run(...destroy);
    expect(await inventory.list("a")).toMatchObject([{ type: "google_compute_snapshot", attributes: { source_disk: id } }]);
  });
});
