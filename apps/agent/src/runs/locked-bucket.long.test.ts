import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRichEntity } from "../testing/rich-specs.ts";
import { inAzureNetwork } from "../testing/rich-specs-azure.ts";
import { openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

const container = "azurerm_storage_container";
const open = (platform: TestPlatform, mode: string) =>
  openRichEntity(platform, {
    cloud: "azure",
    service: "storage",
    parents: [...inAzureNetwork],
    spec: { bucket: { versioning: true, forceDestroy: true, objectLock: { mode, days: 30 } }, infra: { version: "v1.1.0" } },
  });

describe.skipIf(!terraform.found)("Azure buckets with an object lock", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  test("M137 X010 a bucket with a locked policy is deleted completely, but only if it is empty", async () => {
    const rich = await open(platform, "COMPLIANCE");
    await rich.build();
    const before = await rich.list();
    await rich.entity.change(container, { object_count: 2 });
    await expect(rich.destroy()).rejects.toMatchObject({
      code: "deployer.bucket_locked",
      message: expect.stringContaining("30 days after its creation") as string,
    });
    expect(await rich.list()).toEqual(before);
    await rich.entity.change(container, { object_count: 0 });
    // The policy is no longer in the state when the deletion is retried.
    const { uid: tenant } = rich.entity.account;
    await platform.faults.add({ operation: "delete", type: container, tenant, kind: "error", message: "busy", times: 1 });
    await expect(rich.destroy()).rejects.toThrow("busy");
    await platform.faults.clear();
    await rich.destroy();
    expect(await rich.list()).toEqual([]);
  });

  test("M042 M137 a new bucket with an object lock has not drifted", async () => {
    const rich = await open(platform, "GOVERNANCE");
    await rich.build();
    expect(await rich.findDrift()).toMatchObject({ drifted: false, items: [] });
    await rich.destroy();
    expect(await rich.list()).toEqual([]);
  });
});
