import { requireTool } from "@cloudwright/platform";
import { chooseSeed } from "@cloudwright/platform/testing";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBoundaryPlatform, type BoundaryPlatform } from "../kill-matrix/boundary-platform.ts";
import { createKillRunner, type KillRunner } from "../kill-matrix/run-kill-case.ts";
import { describeCase, listCases, sampleCases } from "../kill-matrix/kill-cases.ts";
import { targets, type Target } from "../kill-matrix/targets.ts";

const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);
/** Six cells cover every victim with both endings. `npm run test:faults -- --kills all` runs the whole matrix. */
const cells = 6;
const seed = chooseSeed();
console.log(`kill matrix: seed ${seed}`);

test("X031 the kill matrix has a cell for every boundary, victim and ending of each configuration", () => {
  for (const target of targets) {
    const all = listCases(seed, target, 5);
    expect(all).toHaveLength(3 * 6 * 2);
    expect(new Set(all.map((cell) => JSON.stringify({ ...cell, delayMs: 0 }))).size).toBe(all.length);
  }
  const zonesByVersion = Map.groupBy(
    targets.filter(({ collection }) => collection === "networks"),
    ({ cloud, spec }) => `${cloud} ${JSON.stringify(spec["infra"])}`,
  );
  expect(zonesByVersion.size).toBeGreaterThan(7);
  const countZones = ({ spec }: Target): number => (spec["zones"] as string[]).length;
  for (const networks of zonesByVersion.values()) expect(networks.map(countZones)).toEqual([1, 2, 3]);
});

test("X031 X071 the kill matrix contains every released configuration of every cloud", () => {
  const infra = join(import.meta.dirname, "../../infra");
  const folders = readdirSync(infra, { recursive: true, encoding: "utf8" }).filter((path) => /^[^/]+\/[^/]+\/v[^/]+$/.test(path));
  const covered = new Set(targets.map(({ name }) => name.split(/[ ,]/)[0]));
  expect(folders.length).toBeGreaterThan(20);
  expect(folders.filter((folder) => !covered.has(folder))).toEqual([]);
});

test("X031 a seed always chooses the same cells, and other seeds choose others", () => {
  const shares = (from: number): unknown[] => sampleCases(from, 20).map(({ boundary }) => boundary);
  expect(shares(seed)).toEqual(shares(seed));
  expect(shares(seed)).not.toEqual(shares(seed + 1));
  const pairs = new Set(sampleCases(seed, cells).map(({ victim, ending }) => `${victim} ${ending}`));
  expect(pairs.size).toBe(6);
  const clouds = sampleCases(seed, cells).map(({ target }) => target.cloud);
  expect(clouds.toSorted()).toEqual(["aws", "aws", "azure", "azure", "gcp", "gcp"]);
});

describe.skipIf(!tool.found)("kill -9 at random resource boundaries of random configurations", () => {
  let platform: BoundaryPlatform;
  let runner: KillRunner;
  beforeAll(async () => {
    platform = await openBoundaryPlatform();
    runner = createKillRunner(platform);
  });
  afterAll(() => platform?.stop());

  test.each(sampleCases(seed, cells).map((cell) => [describeCase(cell), cell] as const))(
    "X010 X030 X031 X071 %s: it converges without help, and deletion leaves nothing behind",
    async (_, cell) => {
      await expect(runner.run(cell)).resolves.toBeUndefined();
    },
    900_000,
  );

  test("X010 deleting everything that the cells share leaves empty accounts", async () => {
    await expect(runner.close()).resolves.toBeUndefined();
  });
});
