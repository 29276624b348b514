/**
 * Measures how long plan tasks for one network take with real Terraform, alternating between a complete state and a state that lacks 30
 * resources. Prints one JSON object with the durations for both states in milliseconds, the number of missing resources and the total
 * number of resources. The ADOPT benchmark runs this program.
 */
import { createWarmDirectories } from "@cloudwright/deployer";
import { join } from "node:path";
import { forgetResources, listStateResources } from "../src/testing/lose-resources.ts";
import { openTestPlatform } from "../src/testing/test-platform.ts";

const rounds = Number(process.argv[2] ?? 7);
const lost = 30;
const spec = { zones: ["a", "b", "c"], nat: "per-zone" };

const platform = await openTestPlatform();
try {
  const entity = platform.openEntity({ warm: createWarmDirectories({ directory: join(platform.directory, "warm") }) });
  await entity.build(spec);
  const whole = platform.endpoint.state(entity.uid) ?? "";
  const resources = listStateResources(platform, entity);
  const spread = new Set(
    resources.filter((_, nth) => (nth * lost) % resources.length < lost).map(({ type, id }) => `${type} ${id}`),
  );
  let serial = (JSON.parse(whole) as { serial: number }).serial;
  const restore = (): void => {
    serial += 2;
    platform.endpoint.putState(entity.uid, JSON.stringify({ ...(JSON.parse(whole) as object), serial }));
  };
  const time = async (wanted: number): Promise<number> => {
    const startedMs = performance.now();
    const { stored } = await entity.plan(spec);
    const tookMs = performance.now() - startedMs;
    const { create, replace, import: imported } = stored.counts as Record<string, number>;
    if (create !== 0 || replace !== 0 || imported !== wanted)
      throw new Error(`unexpected plan: ${JSON.stringify(stored.counts)}`);
    return tookMs;
  };
  const took: { adoption: number[]; plan: number[] } = { adoption: [], plan: [] };
  // The first round is a warm-up. Its results are discarded.
  for (let round = -1; round < rounds; round += 1) {
    restore();
    const plan = await time(0);
    forgetResources(platform, entity, ({ type, id }) => spread.has(`${type} ${id}`));
    const adoption = await time(spread.size);
    if (round < 0) continue;
    took.plan.push(plan);
    took.adoption.push(adoption);
  }
  console.log(JSON.stringify({ ...took, lost: spread.size, resources: resources.length }));
} finally {
  await platform.close();
}
