import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Inventory } from "../../inventory/inventory.ts";
import { listTagged } from "../../inventory/list-tagged.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";
import { apply, destroy, owner, wholeBucket } from "./cases.ts";

async function open(place: string, inventory: Inventory): Promise<OpenConfiguration> {
  const opened = await openConfiguration(join(infra, place), inventory);
  onTestFinished(opened.close);
  return opened;
}

const safe = {
  allow_nested_items_to_be_public: false,
  https_traffic_only_enabled: true,
  min_tls_version: "TLS1_2",
  cross_tenant_replication_enabled: false,
};

describe.skipIf(!terraform.found)("storage/azure on the simulated Azure", () => {
  test("M137 M138 a bucket is private, encrypted and stable, and the upgrade to v1.1.0 replaces nothing", async () => {
    const inventory = createMemoryInventory();
    const vault = wholeBucket.bucket.key_id.replace(/\/keys\/\w+$/, "");
    await inventory.put("a", { type: "azurerm_key_vault", id: vault, attributes: { id: vault, name: "keys-1" } });
    const stack = await open("storage/azure/v1.0.0", inventory);
    await stack.give(wholeBucket);
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    const all = await inventory.list("a");
    expect(await listTagged(inventory, "a", { key: "cloudwright:entity", value: owner.entity })).toHaveLength(all.length - 1);
    const [account] = await inventory.list("a", "azurerm_storage_account");
    expect(account?.attributes).toMatchObject({ ...safe, name: "logs0123456789ab" });
    expect(await stack.outputs()).toMatchObject({
      resource_id: expect.stringMatching(
        /\/storageAccounts\/logs0123456789ab\/blobServices\/default\/containers\/objects$/,
      ) as string,
      domain_name: "logs0123456789ab.blob.core.windows.net",
    });
    await stack.use(join(infra, "storage/azure/v1.1.0"));
    // The platform renders these values for a bucket that v1.0.0 created.
    const kept = { ...wholeBucket.bucket, soft_delete_days: 0, shared_keys: true };
    await stack.give({ ...wholeBucket, bucket: kept });
    expect(await stack.plan()).toEqual({ 'azurerm_storage_account.this["bucket"]': "update" });
    await stack.run(...apply);
    await stack.give({ ...wholeBucket, bucket: { ...kept, object_lock: { mode: "GOVERNANCE", days: 30 } } });
    expect(await stack.plan()).toEqual({ 'azurerm_storage_container_immutability_policy.this["bucket"]': "create" });
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    await stack.run(...destroy);
    expect((await inventory.list("a")).map(({ id }) => id)).toEqual([vault]);
  });

  test("M137 a new bucket keeps deleted objects for a week and refuses shared keys", async () => {
    const inventory = createMemoryInventory();
    const stack = await open("storage/azure/v1.1.0", inventory);
    await stack.give({ name: "a-b", region: "westus", bucket: { redundancy: "local" }, owner });
    await stack.run(...apply);
    const [account] = await inventory.list("a", "azurerm_storage_account");
    expect(account?.attributes).toMatchObject({
      ...safe,
      shared_access_key_enabled: false,
      blob_properties: [{ delete_retention_policy: [{ days: 7 }] }],
    });
    expect(await stack.plan()).toEqual({});
    await stack.run(...destroy);
    expect(await inventory.list("a")).toEqual([]);
  });

  test("M137 a volume grows in place, is upgraded in place, and cannot shrink", async () => {
    const inventory = createMemoryInventory();
    const stack = await open("storage/azure/v1.0.0", inventory);
    const volume = { zone: "2", size_gib: 10, type: "PremiumV2_LRS", iops: 4000, throughput: 200 };
    const give = (change: object): Promise<void> =>
      stack.give({ name: "data", region: "westeurope", volume: { ...volume, ...change }, owner });
    await give({});
    await stack.run(...apply);
    expect(await stack.plan()).toEqual({});
    await give({ size_gib: 20 });
    expect(await stack.plan()).toEqual({ 'azurerm_managed_disk.this["volume"]': "update" });
    await stack.run(...apply);
    await give({ size_gib: 10 });
    const shrunk = await stack.attempt(...apply);
    expect([shrunk.code, shrunk.output.includes("ResizeDiskError")]).toEqual([1, true]);
    await stack.use(join(infra, "storage/azure/v1.1.0"));
    await give({ size_gib: 20 });
    expect(await stack.plan()).toEqual({ 'azurerm_managed_disk.this["volume"]': "update" });
    await stack.run(...apply);
    await stack.run(...destroy);
    expect(await inventory.list("a")).toEqual([]);
  });
});
