import { systemClock } from "@cloudwright/platform";
import type { CloudRecord } from "@cloudwright/simulator";
import { waitUntil } from "../wait-until.ts";
import type { SimulatedCloud } from "../simulated-cloud.ts";
import type { BoundaryPlatform } from "./boundary-platform.ts";
import { countAtBoundary, type KillCase } from "./kill-cases.ts";
import { baseClusterOf, baseNetworkOf, targetClouds, type Target } from "./targets.ts";

/** Runs cells of the kill matrix on one platform, one after the other. */
export interface KillRunner {
  /** Returns the number of resources that Terraform creates for a target. */
  countResources(target: Target): Promise<number>;
  /**
   * Kills a process as the cell describes. Throws unless the platform converges without intervention and deleting the entity leaves no
   * resources behind.
   */
  run(cell: KillCase): Promise<void>;
  /** Deletes everything that the cells share. Throws if any resource remains in an account. */
  close(): Promise<void>;
}

/** The resources of a target that was built without interruption. */
interface Whole {
  /** The types of all the target's resources in the cloud. */
  readonly types: readonly string[];
  /** Number of create calls. Some resources need no create call, because the cloud creates them together with others. */
  readonly creates: number;
}

const unlimited = 100_000;

export function createKillRunner(platform: BoundaryPlatform): KillRunner {
  const wholes = new Map<Target, Whole>();
  /** The networks that cells share. */
  const bases = new Set<string>();
  let made = 0;

  const ensure = async (collection: string, name: string, spec: Target["spec"]): Promise<void> => {
    if ((await platform.find(collection, name)) === undefined) await platform.create(collection, name, spec);
    await platform.waitUntilRunning(collection, name);
  };
  const ensureParents = async ({ cloud, collection, base }: Target): Promise<void> => {
    if (base === undefined) return;
    const network = baseNetworkOf(cloud, (base["zones"] as string[]).length);
    bases.add(network);
    await ensure("networks", network, base);
    if (collection === "storages") await ensure("clusters", baseClusterOf(cloud), { network, workers: 1, version: "1.33" });
  };
  const nameNext = (): string => `cell-${(made += 1)}`;
  /** Counts create calls, and makes all calls after the first `count` hang. */
  const hangAfter = (cloud: SimulatedCloud, count: number): Promise<void> =>
    cloud.faults.add({ operation: "create", kind: "hang", deaf: true, nth: count + 1, times: unlimited });
  const countCreates = async (cloud: SimulatedCloud): Promise<number> => (await cloud.faults.list())[0]?.seen ?? 0;
  const getWhole = async (target: Target): Promise<Whole> => {
    const known = wholes.get(target);
    if (known !== undefined) return known;
    const cloud = platform.openCloud(target.cloud);
    await ensureParents(target);
    const before = await cloud.list();
    const name = nameNext();
    await hangAfter(cloud, unlimited);
    await platform.create(target.collection, name, target.spec);
    await platform.waitUntilRunning(target.collection, name);
    const types = listNew(before, await cloud.list()).map(({ type }) => type);
    const whole = { types: types.toSorted(), creates: await countCreates(cloud) };
    await cloud.faults.clear();
    await platform.delete(target.collection, name);
    await platform.waitUntilGone(target.collection, name);
    expectSame("after the deletion of a whole entity", before, await cloud.list());
    wholes.set(target, whole);
    return whole;
  };
  return {
    countResources: async (target) => (await getWhole(target)).creates,
    async run(cell) {
      const { target, victim, ending } = cell;
      const { collection } = target;
      const cloud = platform.openCloud(target.cloud);
      const whole = await getWhole(target);
      const boundary = countAtBoundary(cell, whole.creates);
      const before = await cloud.list();
      const name = nameNext();
      await hangAfter(cloud, boundary);
      await platform.create(collection, name, target.spec);
      // At the last boundary no call hangs, so the process is killed some time after the last call.
      const reached = Math.min(boundary + 1, whole.creates);
      await waitUntil(
        `${reached} of ${whole.creates} resources of ${name} were requested`,
        async () => (await countCreates(cloud)) >= reached,
        180_000,
      );
      if (cell.delayMs > 0) await systemClock.sleep(cell.delayMs);
      await platform.kill(victim);
      await platform.restart();
      await cloud.faults.clear();
      if (ending === "resume") {
        await platform.waitUntilRunning(collection, name);
        const types = listNew(before, await cloud.list()).map(({ type }) => type);
        expectSame("after the resumed run", whole.types, types.toSorted());
      }
      await platform.delete(collection, name);
      await platform.waitUntilGone(collection, name);
      expectSame("after the deletion", before, await cloud.list());
    },
    async close() {
      for (const name of bases) {
        if ((await platform.find("networks", name)) === undefined) continue;
        await platform.delete("networks", name);
        await platform.waitUntilGone("networks", name);
      }
      for (const cloud of targetClouds) expectSame(`at the end in ${cloud}`, [], await platform.openCloud(cloud).list());
    },
  };
}

function listNew(before: readonly CloudRecord[], now: readonly CloudRecord[]): CloudRecord[] {
  const known = new Set(before.map(keyOf));
  return now.filter((record) => !known.has(keyOf(record)));
}

function expectSame(when: string, wanted: readonly (CloudRecord | string)[], found: readonly (CloudRecord | string)[]): void {
  const [expected, actual] = [wanted.map(keyOf).toSorted(), found.map(keyOf).toSorted()];
  if (expected.join("\n") === actual.join("\n")) return;
  const missing = subtract(expected, actual);
  const extra = subtract(actual, expected);
  throw new Error(
    `${when}, the account has ${actual.length} resources instead of ${expected.length}; missing: ${missing.join(", ")}; left: ${extra.join(", ")}`,
  );
}

/** Returns the keys that `from` has more often than `other`. */
function subtract(from: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return from.filter((key) => {
    const at = left.indexOf(key);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function keyOf(record: CloudRecord | string): string {
  return typeof record === "string" ? record : `${record.type} ${record.id}`;
}
