import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forgetResources, loseResources, removeFromCloud } from "../testing/lose-resources.ts";
import { openRichEntity, richSpecs, type RichEntity } from "../testing/rich-specs.ts";
import { openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

const infra = join(import.meta.dirname, "../../../../infra");

test("X031 every released configuration has a rich spec", () => {
  const folders = readdirSync(infra, { recursive: true, encoding: "utf8" }).filter((path) => /^[^/]+\/[^/]+\/v[^/]+$/.test(path));
  const covered = new Set(Object.keys(richSpecs).map((name) => name.split(" ")[0]));
  expect(folders.filter((folder) => !covered.has(folder))).toEqual([]);
});

describe.skipIf(!terraform.found)("configurations with any subset of their resources, with real Terraform", () => {
  const random = createRandom(printSeed("any subset")).next;
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  const build = async (name: string): Promise<RichEntity> => {
    const rich = await openRichEntity(platform, richSpecs[name] as (typeof richSpecs)[string]);
    await rich.build();
    return rich;
  };

  describe.each(Object.keys(richSpecs))("%s", (name) => {
    test("X010 X031 X071 any subset missing from the state is adopted, nothing is created, replaced or deleted, and outputs can always be read", async () => {
      const rich = await build(name);
      const [built, outputs] = [await rich.list(), rich.savedOutputs()];
      for (const [round, probability] of [random(), random(), 1].entries()) {
        const lost = loseResources(platform, rich.entity, probability, random);
        // Both check for drift.
        const readable = round === 0 ? await rich.readOutputs() : (await rich.findDrift()) && outputs;
        expect(Object.keys(outputs)).toEqual(expect.arrayContaining(Object.keys(readable)));
        const planned = await rich.plan();
        const changes = planned.changes as unknown as readonly { readonly action: string; readonly address: string }[];
        expect(changes.filter(({ action }) => !["none", "update"].includes(action))).toEqual([]);
        expect(planned.counts).toMatchObject({ import: lost });
        await rich.apply(planned.uid);
        expect(await rich.list()).toEqual(built);
        expect(rich.savedOutputs()).toEqual(outputs);
      }
      expect((await rich.plan()).changes).toEqual([]);
      loseResources(platform, rich.entity, random(), random);
      await rich.destroy();
      expect(await rich.list()).toEqual([]);
    });

    test("X010 X031 any subset that is missing from the cloud and from the state is created again", async () => {
      const rich = await build(name);
      const built = (await rich.list()).length;
      for (const probability of [random() / 3, 1]) {
        const gone = await removeFromCloud(platform, rich.entity, probability, random);
        const ids = new Set(gone.map(({ type, id }) => `${type} ${id}`));
        // Half of the cases also remove the deleted resources from the state. In the other half, the state still contains them.
        if (random() < 0.5) forgetResources(platform, rich.entity, ({ type, id }) => ids.has(`${type} ${id}`));
        await rich.findDrift();
        await rich.build();
        expect(await rich.list()).toHaveLength(built);
      }
      const gone = await removeFromCloud(platform, rich.entity, random() / 3, random);
      const ids = new Set(gone.map(({ type, id }) => `${type} ${id}`));
      forgetResources(platform, rich.entity, ({ type, id }) => ids.has(`${type} ${id}`));
      await rich.destroy();
      expect(await rich.list()).toEqual([]);
    });
  });
});
