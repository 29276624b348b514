import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forgetResources, listStateResources, loseResources } from "../testing/lose-resources.ts";
import { openTestPlatform, terraform, type TestEntity, type TestPlatform } from "../testing/test-platform.ts";

const threeZones = { zones: ["a", "b", "c"] };
const oneZone = { zones: ["a"] };

describe.skipIf(!terraform.found)("resources that the state lacks, with real Terraform", () => {
  const random = createRandom(printSeed("lost resources")).next;
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  const lose = (entity: TestEntity, probability: number): number => loseResources(platform, entity, probability, random);
  const listIds = async (entity: TestEntity): Promise<string[]> => (await entity.list()).map(({ id }) => id).toSorted();
  /** Returns the Terraform commands started since the last call. */
  const takeCommands = (): string[] => platform.started.splice(0).map(({ command }) => command);

  test("X030 X031 any subset of a network's resources is adopted by the next plan, whatever zones it covers", async () => {
    const entity = platform.openEntity();
    await entity.build(threeZones);
    const built = await listIds(entity);
    for (const probability of [random(), random(), 1]) {
      const lost = lose(entity, probability);
      takeCommands();
      const { uid, stored } = await entity.plan(threeZones);
      expect(stored.counts).toMatchObject({ create: 0, replace: 0, delete: 0, import: lost });
      expect(takeCommands().filter((command) => command === "plan" || command === "import")).toEqual(["plan"]);
      await entity.apply(uid, threeZones);
      expect(await listIds(entity)).toEqual(built);
    }
    expect((await entity.plan(threeZones)).stored.changes).toEqual([]);
    await entity.run("network.destroy", { spec: threeZones });
    expect(await entity.list()).toEqual([]);
  });

  test("X010 X030 a deletion finds any subset of lost resources and leaves nothing", async () => {
    for (const probability of [random(), 1]) {
      const entity = platform.openEntity();
      await entity.build(threeZones);
      lose(entity, probability);
      takeCommands();
      await entity.run("network.destroy", { spec: threeZones });
      expect(takeCommands()).not.toContain("import");
      expect(await entity.list()).toEqual([]);
    }
  });

  test("X010 a deletion that a forgotten resource blocks ends after one attempt, and says how to continue", async () => {
    const entity = platform.openEntity();
    await entity.build(oneZone);
    const blockers = ["aws_internet_gateway", "aws_subnet"];
    const type = blockers[Math.floor(random() * blockers.length)];
    const forgotten = listStateResources(platform, entity).filter((resource) => resource.type === type);
    forgetResources(platform, entity, (resource) => resource.type === type);
    const openState = async () => ({ ...platform.endpoint.access(entity.uid), forgotten });
    const blocked = await entity.run("network.destroy", { spec: oneZone, openState }).catch((error: unknown) => error);
    expect(blocked).toMatchObject({ code: "deployer.forgotten_blocks", retry: "never" });
    const { message } = blocked as Error;
    for (const { id } of forgotten)
      expect(message).toMatch(new RegExp(`cloud state adopt network/\\S+ '${type}\\.[^ ]+' ${id}\``));
    expect(message).toContain("--force");
    // This run does not receive the list of forgotten resources, so it adopts and deletes them.
    await entity.run("network.destroy", { spec: oneZone });
    expect(await entity.list()).toEqual([]);
  });
});
