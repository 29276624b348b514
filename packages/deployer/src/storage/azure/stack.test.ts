import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownConfigurations } from "../../executor/terraform/configurations.ts";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { azureStorage } from "./stack.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "azure", simulated: true, spec: {} };
const entity = (spec: JsonObject) => createTestEntity("Storage", { name: "logs", spec });
const around = (azure: JsonObject = {}, region = "westeurope", outputs: JsonObject = {}) =>
  createTestSurroundings({
    outputs,
    parents: [
      { kind: "Cluster", uid: "c", name: "dev", spec: {}, outputs: {} },
      { kind: "Network", uid: "n", name: "net", spec: { region, azure }, outputs: {} },
    ],
  });
const render = (spec: JsonObject, version = "v1.1.0", beside = around()) =>
  azureStorage.variables(entity(spec), account, beside, version);

test("M137 a bucket is in its network's region and in the resource group that the user chose for the network", () => {
  expect(render({ bucket: {} })).toMatchObject({
    name: "logs",
    region: "westeurope",
    resource_group_name: null,
    bucket: { redundancy: "zone", versioning: false, soft_delete_days: 7, shared_keys: false },
  });
  expect(render({ bucket: {} }, "v1.1.0", around({ resourceGroup: "shared" }, "westus"))).toMatchObject({
    resource_group_name: "shared",
    bucket: { redundancy: "local" },
  });
});

test("M138 buckets and volumes that v1.0.0 created keep their behaviour after an upgrade", () => {
  const upgraded = around({}, "westeurope", { infra_version: "v1.0.0" });
  expect(render({ bucket: {} }, "v1.1.0", upgraded)).toMatchObject({ bucket: { soft_delete_days: 0, shared_keys: true } });
  expect(render({ volume: { sizeGib: 1 } }, "v1.1.0", upgraded)).toMatchObject({ volume: { exports: true } });
  expect(render({ volume: { sizeGib: 1 } })).toMatchObject({ volume: { exports: false } });
});

test("M137 a volume has a zone, unless it is zone-redundant or the region has none", () => {
  expect(render({ volume: { sizeGib: 10 } })).toMatchObject({ volume: { zone: "1", type: "Premium_LRS", size_gib: 10 } });
  expect(render({ volume: { sizeGib: 10, zone: "3" } })).toMatchObject({ volume: { zone: "3" } });
  expect(render({ volume: { sizeGib: 10, type: "Premium_ZRS" } })).toMatchObject({ volume: { zone: null } });
  expect(render({ volume: { sizeGib: 10 } }, "v1.1.0", around({}, "westus"))).toMatchObject({ volume: { zone: null } });
});

test.each(["v1.0.0", "v1.1.0"])("M137 every rendered value is a variable of %s", (version) => {
  const text = readFileSync(join(ownConfigurations, "storage/azure", version, "variables.tf"), "utf8");
  const names = [...text.matchAll(/^variable "(\w+)"/gm)].map((match) => match[1] ?? "");
  const rendered = { ...render({ bucket: {} }, version), ...render({ volume: { sizeGib: 1 } }, version) };
  expect(names.toSorted()).toEqual(Object.keys(rendered).toSorted());
});

const moving = (storageClass: string, change: JsonObject = {}): JsonObject => ({
  bucket: { lifecycleRules: [{ id: "a", transitions: [{ afterDays: 30, storageClass }], ...change }] },
});
test.each<[JsonObject, string, string, string?]>([
  [{ bucket: { replication: { bucket: "x" } } }, "deployer.not_supported", "spec.bucket.replication"],
  [{ bucket: { policy: {} } }, "deployer.not_supported", "spec.bucket.policy"],
  [{ bucket: { abortUploadsAfterDays: 3 } }, "deployer.not_supported", "spec.bucket.abortUploadsAfterDays"],
  [{ bucket: { encryptionKey: "https://x.vault.azure.net/keys/a" } }, "deployer.bad_spec", "spec.bucket.encryptionKey"],
  [{ bucket: { objectLock: { mode: "GOVERNANCE", days: 1 } } }, "deployer.not_supported", "spec.bucket.objectLock", "v1.0.0"],
  [{ bucket: { azure: { sharedKeys: true } } }, "deployer.not_supported", "spec.bucket.azure.sharedKeys", "v1.0.0"],
  [moving("GLACIER"), "deployer.bad_spec", "lifecycleRules[0].transitions[0].storageClass"],
  [moving("Archive"), "deployer.bad_spec", "spec.bucket.azure.redundancy"],
  [moving("Cool", { expireAfterDays: 30 }), "deployer.bad_spec", "transitions[0].afterDays"],
  [moving("Cool", { id: "Expire" }), "deployer.bad_spec", "lifecycleRules[0].id"],
  [moving("Cool", { abortUploadsAfterDays: 1 }), "deployer.bad_spec", "abortUploadsAfterDays"],
  [{ volume: { sizeGib: 1, type: "gp3" } }, "deployer.bad_spec", "spec.volume.type"],
  [{ volume: { sizeGib: 1, iops: 100 } }, "deployer.bad_spec", "spec.volume.iops"],
  [{ volume: { sizeGib: 1, zone: "9" } }, "deployer.bad_spec", "spec.volume.zone"],
  [{ volume: { sizeGib: 1, zone: "1", type: "Premium_ZRS" } }, "deployer.bad_spec", "spec.volume.zone"],
  [{ volume: { sizeGib: 1, encryptionKey: "k" } }, "deployer.bad_spec", "spec.volume.encryptionKey"],
  [{ volume: { sizeGib: 1, finalSnapshot: true } }, "deployer.not_supported", "spec.volume.finalSnapshot"],
])("M137 %j is rejected with %s, which names %s", (spec, code, words, version?: string) => {
  expect(() => render(spec, version)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(words) as string }),
  );
});

test("M137 a bucket is not deleted while it contains objects or if they cannot be counted", async () => {
  const { signal } = new AbortController();
  const prepare = (bucket: JsonObject, count: (() => Promise<number>) | undefined) =>
    azureStorage.prepareRemoval?.(
      entity({ bucket }),
      { resource_id: "id" },
      count === undefined ? {} : { countObjects: count },
      signal,
    );
  await expect(prepare({}, async () => 0)).resolves.toEqual({ applyFirst: false });
  await expect(prepare({}, async () => 2)).rejects.toMatchObject({ code: "deployer.bucket_not_empty", extra: { objects: 2 } });
  await expect(prepare({}, undefined)).rejects.toMatchObject({ code: "deployer.bucket_not_empty" });
  await expect(prepare({ forceDestroy: true }, async () => 2)).resolves.toEqual({ applyFirst: false });
});

test("M137 a bucket with a lock that cannot be removed is deleted only if it is empty, even if the deletion is forced", async () => {
  const { signal } = new AbortController();
  const locked = (mode: string) => entity({ bucket: { versioning: true, forceDestroy: true, objectLock: { mode, days: 30 } } });
  const counting = (objects?: number) => ({
    countObjects: async () => objects ?? Promise.reject(new Error("the objects cannot be read")),
  });
  const prepare = (mode: string, objects?: number) =>
    azureStorage.prepareRemoval?.(locked(mode), { resource_id: "id" }, counting(objects), signal);
  const refusal = { code: "deployer.bucket_locked", message: expect.stringContaining("30 days after its creation") as string };
  await expect(prepare("COMPLIANCE", 2)).rejects.toMatchObject({ ...refusal, extra: { objects: 2 } });
  await expect(prepare("COMPLIANCE", 0)).resolves.toEqual({ applyFirst: false });
  await expect(prepare("COMPLIANCE")).resolves.toEqual({ applyFirst: false });
  await expect(prepare("GOVERNANCE", 2)).resolves.toEqual({ applyFirst: false });
  const explain = (words: string, objects?: number) =>
    azureStorage.explainRemovalFailure?.(new Fault(terraformFaults.failed, words), counting(objects), locked("COMPLIANCE"), {
      resource_id: "id",
    });
  expect(await explain("409 ContainerImmutabilityPolicyLocked")).toMatchObject(refusal);
  expect(await explain("the container has a locked immutability policy", 3)).toMatchObject({ ...refusal, extra: { objects: 3 } });
  expect(await explain("409 ContainerImmutabilityPolicyLocked", 0)).toBeUndefined();
  expect(await explain("AuthorizationFailed")).toBeUndefined();
});

test("M137 only a locked policy is left to the deletion of its container", () => {
  const isLeft = (resourceType: string, attributes: JsonObject) =>
    azureStorage.isDeletedWithParent?.({ resourceType, attributes });
  expect(isLeft("azurerm_storage_container_immutability_policy", { locked: true })).toBe(true);
  expect(isLeft("azurerm_storage_container_immutability_policy", { locked: false })).toBe(false);
  expect(isLeft("azurerm_storage_container", {})).toBe(false);
});

test("M032 containers and policies are found through their storage account; containers of others are not", () => {
  const id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/logs";
  const tagged = new Map([[id, 'azurerm_storage_account.this["bucket"]']]);
  const find = (type: string, ...names: string[]): string | undefined =>
    azureStorage.findUntagged({ type, names }, tagged, () => true, entity({ bucket: {} }));
  const container = `${id}/blobServices/default/containers/objects`;
  expect(find("azurerm_storage_container", container)).toBe('azurerm_storage_container.this["bucket"]');
  expect(find("azurerm_storage_container", container.replace("objects", "theirs"))).toBeUndefined();
  expect(find("azurerm_storage_container_immutability_policy", `${container}/immutabilityPolicies/default`)).toBe(
    'azurerm_storage_container_immutability_policy.this["bucket"]',
  );
  expect(find("azurerm_storage_management_policy", id)).toBe('azurerm_storage_management_policy.this["bucket"]');
});
