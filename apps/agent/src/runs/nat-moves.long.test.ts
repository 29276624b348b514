import { createRandom, printSeed } from "@cloudwright/platform/testing";
import type { JsonObject } from "@cloudwright/deployer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loseResources } from "../testing/lose-resources.ts";
import { faultOf, openTestPlatform, terraform, type TestEntity, type TestPlatform } from "../testing/test-platform.ts";

const perZone: JsonObject = { zones: ["a", "b", "c"], nat: "per-zone" };
const single: JsonObject = { ...perZone, nat: "single", aws: { natZone: "b" } };
const none = { create: 0, update: 0, replace: 0, delete: 0, import: 0 };

describe.skipIf(!terraform.found)("NAT gateways that move while a network is in use, with real Terraform", () => {
  const random = createRandom(printSeed("moving NAT gateways")).next;
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  /** Returns the states of the routes to NAT gateways, and the number of gateways. */
  const look = async (entity: TestEntity): Promise<{ routes: unknown[]; gateways: number }> => {
    const routes = (await entity.list("aws_route")).filter(({ attributes }) => (attributes["nat_gateway_id"] ?? "") !== "");
    const states = routes.map(({ attributes }) => attributes["state"]);
    return { routes: [...new Set(states)], gateways: (await entity.list("aws_nat_gateway")).length };
  };

  test("M115 M069 from per-zone to single takes two runs; drift, an upgrade and a deletion work between them", async () => {
    const entity = platform.openEntity();
    const before = await entity.build({ ...perZone, infra: { version: "v1.1.0" } });
    const upgraded: JsonObject = { ...single, infra: { version: "v1.2.0" } };
    const first = await entity.plan(upgraded);
    expect(first.stored).toMatchObject({ upgradedFrom: "v1.1.0", counts: { ...none, update: 6 } });
    const outputs = await entity.apply(first.uid, upgraded);
    expect(outputs).toMatchObject({
      nat_zones: ["eu-west-1b"],
      nat_retiring: ["eu-west-1a", "eu-west-1c"],
      nat_public_ips: [(before["nat_public_ips"] as string[])[1]],
      next_run: expect.stringContaining("eu-west-1a, eu-west-1c") as string,
    });
    expect(await look(entity)).toEqual({ routes: ["active"], gateways: 3 });
    expect(await entity.run("network.check", { spec: upgraded })).toMatchObject({ drifted: false });

    const second = await entity.plan(upgraded);
    expect(second.stored.counts).toEqual({ ...none, delete: 4 });
    const retired = second.stored.changes.filter(({ action }) => action === "delete");
    // Policies see the `cloudwright:retiring` tag in the plan, so they do not require a second approval.
    expect(retired.map(({ values }) => (values as { before: { tags: JsonObject } }).before.tags["cloudwright:retiring"])).toEqual(
      Array.from({ length: 4 }, () => "eu-west-1b"),
    );
    const after = await entity.apply(second.uid, upgraded);
    expect(after).toMatchObject({ nat_zones: ["eu-west-1b"], nat_retiring: [] });
    expect(after).not.toHaveProperty("next_run");
    expect(await look(entity)).toEqual({ routes: ["active"], gateways: 1 });
    expect((await entity.plan(upgraded)).stored.counts).toEqual(none);

    const moved: JsonObject = { ...upgraded, aws: { natZone: "c" } };
    await entity.build(moved);
    expect(await look(entity)).toEqual({ routes: ["active"], gateways: 2 });
    await entity.run("network.destroy", { spec: moved });
    expect(await entity.list()).toEqual([]);
  });

  /**
   * Plans and applies a spec, and retries once after a failure, as the platform does. An adopted resource has no recorded dependencies, so
   * Terraform may try to delete an address before its gateway.
   */
  const buildWithRetry = async (entity: TestEntity, spec: JsonObject): Promise<JsonObject> => {
    try {
      return await entity.build(spec);
    } catch (error) {
      expect(error).toMatchObject({ retry: "backoff" });
      return entity.build(spec);
    }
  };
  /** Plans and applies a spec, and kills Terraform when its first matching call hangs. */
  const killDuring = async (
    entity: TestEntity,
    spec: JsonObject,
    operation: "update" | "delete",
    type: string,
  ): Promise<void> => {
    const { uid } = await entity.plan(spec);
    await platform.faults.add({ operation, type, tenant: entity.account.uid, kind: "hang", deaf: true, times: 3 });
    const applying = faultOf(entity.apply(uid, spec));
    await expect.poll(async () => (await platform.faults.list()).some(({ seen }) => seen > 0)).toBe(true);
    process.kill(-(platform.started.at(-1)?.child.pid ?? 0), "SIGKILL");
    expect(await applying).toMatchObject({ code: "terraform.killed" });
    await platform.faults.clear();
    // The next attempt at the same task releases the lock.
    const again = await faultOf(entity.run("network.apply", { spec, plan: uid, resumed: true }));
    expect(again).toMatchObject({ code: "deployer.plan_gone" });
  };

  test("M115 X030 after SIGKILL in either run, the routes have a gateway, and the move continues to the same or another zone", async () => {
    const entity = platform.openEntity();
    await entity.build(perZone);
    await killDuring(entity, single, "update", "aws_route");
    expect(await look(entity)).toEqual({ routes: ["active"], gateways: 3 });
    expect(await entity.build(single)).toMatchObject({ nat_retiring: ["eu-west-1a", "eu-west-1c"] });
    await killDuring(entity, single, "delete", "aws_nat_gateway");
    expect((await look(entity)).routes).toEqual(["active"]);
    expect(await entity.build(single)).toMatchObject({ nat_zones: ["eu-west-1b"], nat_retiring: [] });
    expect(await look(entity)).toEqual({ routes: ["active"], gateways: 1 });

    // The first move is killed after the new gateway has been created, and the user then chooses another zone.
    const [toA, toC] = ["a", "c"].map((natZone): JsonObject => ({ ...single, aws: { natZone } }));
    await killDuring(entity, toA ?? {}, "update", "aws_route");
    const unfinished = (await entity.plan(toC)).stored.changes.filter(({ action }) => action === "delete");
    const addresses = ['aws_eip.nat["eu-west-1a"]', 'aws_nat_gateway.this["eu-west-1a"]'];
    expect(new Set(unfinished.map(({ address }) => address))).toEqual(new Set(addresses));
    // Routes may already use the unfinished gateway, so policies must require approval for its deletion. They do so only if the
    // `cloudwright:retiring` tag is absent.
    for (const { values } of unfinished) expect(JSON.stringify(values)).not.toContain("cloudwright:retiring");
    expect(await buildWithRetry(entity, toC ?? {})).toMatchObject({ nat_zones: ["eu-west-1c"], nat_retiring: ["eu-west-1b"] });
    expect((await look(entity)).routes).toEqual(["active"]);
    await entity.build(toC);
    expect(await look(entity)).toEqual({ routes: ["active"], gateways: 1 });
    await entity.run("network.destroy", { spec: toC ?? {} });
    expect(await entity.list()).toEqual([]);
  });

  test("M115 X030 resources that are lost between the two runs are adopted, and the second run deletes the old gateways", async () => {
    const entity = platform.openEntity();
    await entity.build(perZone);
    await entity.build(single);
    loseResources(platform, entity, random(), random);
    const plan = await entity.plan(single);
    expect(plan.stored.counts).toMatchObject({ create: 0, replace: 0 });
    await buildWithRetry(entity, single);
    expect(await look(entity)).toEqual({ routes: ["active"], gateways: 1 });
    expect((await entity.plan(single)).stored.counts).toEqual(none);
    await entity.run("network.destroy", { spec: single });
    expect(await entity.list()).toEqual([]);
  });

  test("M115 X030 any sequence of changes, some of them interrupted, ends with the requested gateways and working routes", async () => {
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    const pickSpec = (): JsonObject => {
      const zones = ["a", "b", "c"].filter(() => random() < 0.75);
      const chosen = zones.length === 0 ? ["b"] : zones;
      const nat = pick(["none", "single", "single", "per-zone"]);
      return { zones: chosen, nat, ...(nat === "single" && random() < 0.7 ? { aws: { natZone: pick(chosen) } } : {}) };
    };
    const entity = platform.openEntity();
    await entity.build(pickSpec());
    for (let round = 0; round < 8; round++) {
      const spec = pickSpec();
      if (random() < 0.6) {
        const [operation, type] = pick([
          ["update", "aws_route"],
          ["create", "aws_nat_gateway"],
          ["delete", "aws_nat_gateway"],
          ["delete", "aws_eip"],
        ] as const);
        const message = "UnauthorizedOperation: you are not authorized to perform this operation";
        const nth = pick([1, 2]);
        await platform.faults.add({ operation, type, tenant: entity.account.uid, kind: "error", message, nth });
        // The build may succeed, because its plan may not contain the call that the injected fault affects.
        await Promise.allSettled([entity.build(spec)]);
        await platform.faults.clear();
        // Half of the interrupted changes are abandoned, as if the user had chosen another spec.
        if (random() < 0.5) continue;
      }
      let outputs = await buildWithRetry(entity, spec);
      if (outputs["next_run"] !== undefined) outputs = await buildWithRetry(entity, spec);
      const { zones, nat } = spec as { zones: string[]; nat: string };
      const expected = { none: 0, single: 1, "per-zone": zones.length }[nat];
      expect([spec, outputs]).toEqual([
        spec,
        expect.objectContaining({
          nat_zones: expect.toSatisfy((each: unknown[]) => each.length === expected) as unknown,
          nat_retiring: [],
        }),
      ]);
      expect([spec, await look(entity)]).toEqual([spec, { routes: nat === "none" ? [] : ["active"], gateways: expected }]);
      expect((await entity.plan(spec)).stored.counts).toEqual(none);
    }
    await entity.run("network.destroy", { spec: pickSpec() });
    expect(await entity.list()).toEqual([]);
  });
});
