import type { Fault } from "@cloudwright/platform";
import { mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { faultOf, openTestPlatform, terraform, type TestEntity, type TestPlatform } from "../testing/test-platform.ts";

const oneZone = { zones: ["a"] };

describe.skipIf(!terraform.found)("interrupted runs with real Terraform", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterEach(() => platform.faults.clear());
  afterAll(() => platform?.close());

  /** Kills the running Terraform process and its child processes. */
  const killTerraform = (): void => void process.kill(-(platform.started.at(-1)?.child.pid ?? 0), "SIGKILL");
  /** Makes the next `times` matching calls hang. The number must be exact, because an unused fault would affect the next run. */
  const hang = async (entity: TestEntity, operation: "create" | "delete", type: string, times: number): Promise<void> =>
    platform.faults.add({ operation, type, tenant: entity.account.uid, kind: "hang", deaf: true, times });
  const areHanging = async (times: number): Promise<void> => {
    await expect.poll(async () => (await platform.faults.list()).map(({ seen }) => seen)).toEqual([times]);
  };
  /** Starts an apply and waits until all of its remaining calls hang. */
  const applyUntilItHangs = async (entity: TestEntity, uid: string): Promise<{ readonly fault: Promise<Fault> }> => {
    await hang(entity, "create", "aws_route_table", 3);
    const fault = faultOf(entity.apply(uid, oneZone));
    await areHanging(3);
    await expect.poll(async () => (await entity.list()).length).toBe(9);
    return { fault };
  };

  test("X030 M072 after a kill between plan and apply, any agent can apply exactly that plan", async () => {
    const entity = platform.openEntity();
    const { uid } = await entity.plan(oneZone);
    const left = readdirSync(platform.directory, { recursive: true, encoding: "utf8" });
    expect(left.filter((name) => /tfplan|tfvars|\/stack\//.test(name))).toEqual([]);
    await entity.apply(uid, oneZone);
    expect(await entity.list("aws_vpc")).toHaveLength(1);
    await entity.run("network.destroy", { spec: oneZone });
    expect(await entity.list()).toEqual([]);
  });

  test("X030 X031 after SIGKILL during an apply, the plan is not started again, and a new one adopts what was created", async () => {
    const entity = platform.openEntity();
    const { uid, stored } = await entity.plan(oneZone);
    const applying = await applyUntilItHangs(entity, uid);
    killTerraform();
    expect(await applying.fault).toMatchObject({ code: "terraform.killed", retry: "backoff" });
    const made = (await entity.list()).map(({ id }) => id);
    expect(platform.endpoint.lock(entity.uid)).toBeDefined();

    const again = await faultOf(entity.run("network.apply", { spec: oneZone, plan: uid, resumed: true }));
    expect(again).toMatchObject({ code: "deployer.plan_gone", retry: "never" });
    expect((await entity.list()).map(({ id }) => id)).toEqual(made);

    const next = await entity.plan(oneZone);
    expect(next.stored.counts).toMatchObject({ create: stored.counts.create - made.length, replace: 0, delete: 0 });
    await entity.apply(next.uid, oneZone);
    expect(await entity.list("aws_vpc")).toHaveLength(1);
    expect(await entity.list("aws_subnet")).toHaveLength(3);
    expect((await entity.list()).map(({ id }) => id)).toEqual(expect.arrayContaining(made));
    await entity.run("network.destroy", { spec: oneZone });
    expect(await entity.list()).toEqual([]);
  });

  test("X030 after SIGKILL during a removal, the next run refreshes the state and also removes resources that are in no state", async () => {
    const entity = platform.openEntity();
    await entity.build(oneZone);
    await hang(entity, "delete", "aws_internet_gateway", 1);
    const destroying = faultOf(entity.run("network.destroy", { spec: oneZone }));
    await expect.poll(async () => (await entity.list("aws_route_table_association")).length).toBe(0);
    await areHanging(1);
    killTerraform();
    expect(await destroying).toMatchObject({ code: "terraform.killed" });
    expect(await entity.list("aws_vpc")).toHaveLength(1);
    await entity.run("network.destroy", { spec: oneZone, resumed: true });
    expect(await entity.list()).toEqual([]);
  });

  test("X030 X031 a killed run is resumed in its directory although the control plane's address has changed", async () => {
    const entity = platform.openEntity();
    const directory = mkdtempSync(join(platform.directory, "task-"));
    await entity.build(oneZone);
    await hang(entity, "delete", "aws_internet_gateway", 1);
    const destroying = faultOf(entity.run("network.destroy", { spec: oneZone, directory }));
    await areHanging(1);
    killTerraform();
    expect(await destroying).toMatchObject({ code: "terraform.killed" });
    const { address, ...access } = platform.endpoint.access(entity.uid);
    const openState = async () => ({ ...access, address: address.replace("127.0.0.1", "localhost") });
    await entity.run("network.destroy", { spec: oneZone, resumed: true, directory, openState });
    expect(await entity.list()).toEqual([]);
  });

  test("X030 a first apply killed before its state was saved is removed completely", async () => {
    const entity = platform.openEntity();
    const { uid } = await entity.plan(oneZone);
    const applying = await applyUntilItHangs(entity, uid);
    killTerraform();
    await applying.fault;
    expect(platform.endpoint.state(entity.uid)).toBeUndefined();
    await entity.run("network.destroy", { spec: oneZone, resumed: true });
    expect(await entity.list()).toEqual([]);
  });

  test("X030 X031 a resource whose creation response was lost is adopted by the next plan and not created twice", async () => {
    const entity = platform.openEntity();
    const { uid } = await entity.plan(oneZone);
    await platform.faults.add({ operation: "create", type: "aws_vpc", tenant: entity.account.uid, kind: "lost_reply" });
    await faultOf(entity.apply(uid, oneZone));
    const [vpc] = await entity.list("aws_vpc");
    await entity.build(oneZone);
    expect((await entity.list("aws_vpc")).map(({ id }) => id)).toEqual([vpc?.id]);
    await entity.run("network.destroy", { spec: oneZone });
  });

  test("M071 a plan that is lost, not approved or outdated is not applied", async () => {
    const entity = platform.openEntity();
    const [first, second] = [await entity.plan(oneZone), await entity.plan(oneZone)];
    const waiting = platform.endpoint.plans.get(second.uid);
    if (waiting !== undefined) waiting.needsApproval = true;
    expect(await faultOf(entity.apply(second.uid, oneZone))).toMatchObject({
      code: "deployer.plan_not_approved",
      retry: "never",
    });
    expect(await entity.list()).toEqual([]);
    await entity.apply(first.uid, oneZone);
    if (waiting !== undefined) waiting.needsApproval = false;
    expect(await faultOf(entity.apply(second.uid, oneZone))).toMatchObject({ code: "terraform.plan_stale", retry: "never" });
    expect(await faultOf(entity.apply(second.uid, oneZone))).toMatchObject({ code: "deployer.plan_gone" });
    const third = await entity.plan(oneZone);
    platform.endpoint.plans.delete(third.uid);
    expect(await faultOf(entity.apply(third.uid, oneZone))).toMatchObject({ code: "deployer.plan_gone", retry: "never" });
    expect(await entity.list("aws_vpc")).toHaveLength(1);
    await entity.run("network.destroy", { spec: oneZone });
  });

  test("M072 storing a plan is retried if the endpoint is unavailable, but not if the plan is too large", async () => {
    const entity = platform.openEntity();
    const task = "01a00000-0000-7000-8000-000000000001";
    for (const [status, fault] of [
      [503, { code: "deployer.state_door", retry: "backoff" }],
      [413, { code: "deployer.plan_too_large", retry: "never" }],
    ] as const) {
      platform.endpoint.refuse(`PUT /v1/states/${entity.uid}/plans/${task}`, status);
      expect(await faultOf(entity.run("network.plan", { spec: oneZone, uid: task }))).toMatchObject(fault);
    }
    expect(await entity.run("network.plan", { spec: oneZone, uid: task })).toMatchObject({ plan: task });
  });
});
