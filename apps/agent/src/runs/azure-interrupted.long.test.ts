import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { faultOf, openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

const spec = { region: "westeurope", nat: "single", azure: { natIps: 1 } };

describe.skipIf(!terraform.found)("interrupted runs in Azure with real Terraform", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterEach(() => platform.faults.clear());
  afterAll(() => platform?.close());

  const killTerraform = (): void => void process.kill(-(platform.started.at(-1)?.child.pid ?? 0), "SIGKILL");
  const isHanging = async (): Promise<void> => {
    await expect.poll(async () => (await platform.faults.list()).map(({ seen }) => seen)).toEqual([1]);
  };

  test("X030 X031 M136 after SIGKILL during an apply, the next plan adopts what was created, and a deletion leaves nothing", async () => {
    const entity = platform.openEntity({}, "azure");
    const { uid, stored } = await entity.plan(spec);
    const tenant = entity.account.uid;
    await platform.faults.add({ operation: "create", type: "azurerm_nat_gateway", tenant, kind: "hang", deaf: true, times: 1 });
    const fault = faultOf(entity.apply(uid, spec));
    await isHanging();
    await expect.poll(async () => (await entity.list("azurerm_subnet")).length).toBeGreaterThan(0);
    killTerraform();
    expect(await fault).toMatchObject({ code: "terraform.killed", retry: "backoff" });
    const made = (await entity.list()).map(({ id }) => id);
    expect(made.length).toBeGreaterThan(3);
    const again = await faultOf(entity.run("network.apply", { spec, plan: uid, resumed: true }));
    expect(again).toMatchObject({ code: "deployer.plan_gone", retry: "never" });
    const next = await entity.plan(spec);
    expect(next.stored.counts).toMatchObject({ create: stored.counts.create - made.length, replace: 0, delete: 0 });
    await entity.apply(next.uid, spec);
    expect((await entity.list()).map(({ id }) => id)).toEqual(expect.arrayContaining(made));
    await entity.run("network.destroy", { spec });
    expect(await entity.list()).toEqual([]);
  });

  test("X010 X030 after SIGKILL during an apply, a deletion that follows directly leaves nothing", async () => {
    const entity = platform.openEntity({}, "azure");
    const { uid } = await entity.plan(spec);
    const tenant = entity.account.uid;
    await platform.faults.add({ operation: "create", type: "azurerm_nat_gateway", tenant, kind: "hang", deaf: true, times: 1 });
    const fault = faultOf(entity.apply(uid, spec));
    await isHanging();
    killTerraform();
    await fault;
    expect((await entity.list()).length).toBeGreaterThan(0);
    await entity.run("network.destroy", { spec, resumed: true });
    expect(await entity.list()).toEqual([]);
  });

  test("X030 after SIGKILL during a removal, the next run removes the rest", async () => {
    const entity = platform.openEntity({}, "azure");
    await entity.build(spec);
    const tenant = entity.account.uid;
    await platform.faults.add({ operation: "delete", type: "azurerm_subnet", tenant, kind: "hang", deaf: true, times: 1 });
    const destroying = faultOf(entity.run("network.destroy", { spec }));
    await isHanging();
    killTerraform();
    expect(await destroying).toMatchObject({ code: "terraform.killed" });
    await entity.run("network.destroy", { spec, resumed: true });
    expect(await entity.list()).toEqual([]);
  });
});
