import type { JsonObject } from "@cloudwright/deployer";
import { defineFaults, Fault } from "@cloudwright/platform";
import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { loseResources } from "../testing/lose-resources.ts";
import { faultOf, openTestPlatform, terraform, type TestEntity, type TestPlatform } from "../testing/test-platform.ts";

const threeZones = { zones: ["a", "b", "c"] };
const oneZone = { zones: ["a"] };
const { unreachable } = defineFaults("test", { unreachable: { kind: "unavailable", when: "", help: "" } });

describe.skipIf(!terraform.found)("resources of killed runs, with real Terraform", () => {
  const random = createRandom(printSeed("killed runs")).next;
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterEach(() => platform.faults.clear());
  afterAll(() => platform?.close());

  const lose = (entity: TestEntity, probability: number): number => loseResources(platform, entity, probability, random);
  test("X030 lost resources that the changed spec no longer has are adopted and deleted", async () => {
    const entity = platform.openEntity();
    await entity.build(threeZones);
    lose(entity, random());
    // The state does not record the dependencies of resources that were adopted one by one, so a deletion may need several attempts.
    await expect
      .poll(() => entity.build(oneZone).catch((error: Fault) => error.retry), { timeout: 60_000 })
      .toHaveProperty("network_id");
    expect(await entity.list("aws_subnet")).toHaveLength(3);
    expect((await entity.plan(oneZone)).stored.changes).toEqual([]);
    await entity.build(threeZones);
    lose(entity, 1);
    await entity.run("network.destroy", { spec: oneZone });
    expect(await entity.list()).toEqual([]);
  });

  test("X010 X030 a failed adoption is tried again, and the deletion finishes afterwards", async () => {
    const entity = platform.openEntity();
    await entity.build(threeZones);
    lose(entity, 1);
    const fault = { operation: "import", type: "aws_subnet", tenant: entity.account.uid } as const;
    await platform.faults.add({ ...fault, kind: "error", message: "InternalError: try again", times: 100 });
    expect(await faultOf(entity.run("network.destroy", { spec: threeZones }))).toMatchObject({ retry: "backoff" });
    await platform.faults.clear();
    await entity.run("network.destroy", { spec: threeZones });
    expect(await entity.list()).toEqual([]);
  });

  test("X010 X030 a deletion finds lost resources that the cloud lists only after a while", async () => {
    const { openCloud } = platform;
    const hidden = new Set<string>();
    const slow: typeof openCloud = async (...request) => {
      const cloud = await openCloud(...request);
      const listOwned = async (uid: string): ReturnType<typeof cloud.listOwned> => {
        const all = await cloud.listOwned(uid);
        const listed = all.filter(({ type, id }) => !hidden.has(`${type} ${id}`));
        hidden.clear();
        return listed;
      };
      return { ...cloud, listOwned };
    };
    const entity = platform.openEntity({ openCloud: slow });
    await entity.build(oneZone);
    lose(entity, 1);
    for (const { type, id } of await entity.list()) hidden.add(`${type} ${id}`);
    await entity.run("network.destroy", { spec: oneZone });
    expect(await entity.list()).toEqual([]);
  });

  test("X010 M042 a failed deletion names the resources that are left, or says that the account could not be reached", async () => {
    const entity = platform.openEntity();
    await entity.build(oneZone);
    const fault = { operation: "delete", type: "aws_vpc", tenant: entity.account.uid } as const;
    await platform.faults.add({ ...fault, kind: "error", message: "DependencyViolation: in use", times: 100 });
    const [vpc] = await entity.list("aws_vpc");
    const failed = await faultOf(entity.run("network.destroy", { spec: oneZone }));
    expect(failed.left).toEqual([`aws_vpc ${vpc?.id}`]);
    const openCloud = async (): Promise<never> => Promise.reject(new Fault(unreachable, "no route to host"));
    const apart = platform.openEntity({ openCloud });
    const { left } = await faultOf(apart.run("network.destroy", { spec: oneZone }));
    expect(left).toEqual([expect.stringMatching(/^unknown resources: the account could not be reached.*no route to host/)]);
  });

  /** Kills the first apply of a network after it has created a random number of resources. */
  const killFirstApply = async (entity: TestEntity): Promise<void> => {
    const { uid, stored } = await entity.plan(threeZones);
    const killAt = 1 + Math.floor(random() * (stored.counts.create - 1));
    const applying = faultOf(entity.apply(uid, threeZones));
    await expect.poll(async () => (await entity.list()).length, { interval: 1, timeout: 60_000 }).toBeGreaterThanOrEqual(killAt);
    process.kill(-(platform.started.at(-1)?.child.pid ?? 0), "SIGKILL");
    expect(await applying).toMatchObject({ code: "terraform.killed", retry: "backoff" });
  };

  test("X030 X031 a network whose run was killed after any number of resources is completed without help", async () => {
    const entity = platform.openEntity();
    await killFirstApply(entity);
    // The simulated provider outlives Terraform, so a resource may appear after the new plan. The control plane then plans again.
    const complete = async (): Promise<JsonObject> => {
      const { plan } = await entity.run("network.plan", { spec: threeZones, resumed: true });
      return entity.apply(plan as string, threeZones);
    };
    await expect.poll(() => complete().catch((error: Fault) => error.retry), { timeout: 60_000 }).toHaveProperty("network_id");
    expect(await entity.list("aws_vpc")).toHaveLength(1);
    expect(await entity.list("aws_subnet")).toHaveLength(9);
    expect((await entity.plan(threeZones)).stored.changes).toEqual([]);
  });

  test("X010 X030 a network whose run was killed after any number of resources is removed without help", async () => {
    const entity = platform.openEntity();
    await killFirstApply(entity);
    // The simulated provider outlives Terraform, so a resource may appear during the deletion. The control plane then tries again.
    const remove = async (): Promise<readonly unknown[]> => {
      await entity.run("network.destroy", { spec: threeZones, resumed: true }).catch((error: Fault) => error.retry);
      return entity.list();
    };
    await expect.poll(remove, { timeout: 60_000 }).toEqual([]);
  });
});
