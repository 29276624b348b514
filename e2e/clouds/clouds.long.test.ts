import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { isCloudFault, type CallBudget } from "@cloudwright/clouds";
import { shortWaits } from "@cloudwright/clouds/testing";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cleanUp, RunRecords } from "./clean-up.ts";
import { runStory } from "./story.ts";
import { clouds, estimatePrice, type Target } from "./targets.ts";
import { openSimulatedAccount, type SimulatedAccount } from "./testing.ts";

const seed = chooseSeed();
let account: SimulatedAccount;
let folder: string;
let records: RunRecords;
let empty: readonly string[];
beforeEach(async () => {
  account = await openSimulatedAccount();
  folder = await mkdtemp(join(tmpdir(), "test-clouds-"));
  records = new RunRecords(folder);
  empty = await account.list();
});
afterEach(async () => {
  await account.close();
  await rm(folder, { recursive: true, force: true });
});

const name = "cw-test-abc123";
const note = (): void => undefined;
const never = new AbortController().signal;

function open(budget?: CallBudget): Target {
  const target = clouds["aws"]?.open(account.environment, { clock: shortWaits, ...(budget === undefined ? {} : { budget }) });
  if (target === undefined) throw new Error("AWS is missing");
  return target;
}

test("M240 a run creates one cluster and one machine, upgrades the cluster, and leaves nothing", async () => {
  const steps: string[] = [];
  await runStory(open(), { name, upgrade: true, signal: never, note: (line) => void steps.push(line) });
  expect(steps.filter((line) => line.startsWith("create the cluster") || line.startsWith("upgrade"))).toHaveLength(2);
  expect(await account.list()).toEqual(empty);
});

test(`M240 a run that is stopped at any request leaves nothing (seed ${seed})`, async () => {
  const countRequests = async (run: string, stopAt: number): Promise<number> => {
    const stop = new AbortController();
    let count = 0;
    const budget: CallBudget = {
      async take({ isMutating }) {
        if (isMutating && ++count === stopAt) stop.abort(new Error("stopped"));
        return () => undefined;
      },
    };
    await records.add(run);
    const story = runStory(open(budget), { name: run, upgrade: false, signal: stop.signal, note });
    const ended = await story.then(
      () => "completed",
      (error: Error) => error.message,
    );
    expect(ended).toBe(stopAt === 0 ? "completed" : "stopped");
    await cleanUp(open().library, records, { run, note });
    expect(await account.list()).toEqual(empty);
    expect(await records.list()).toEqual([]);
    return count;
  };
  const all = await countRequests("cw-test-whole", 0);
  expect(all).toBeGreaterThan(8);
  const random = createRandom(seed);
  for (let round = 0; round < 4; round += 1) await countRequests(`cw-test-${round}`, random.whole(1, all));
});

test("M240 a clean-up deletes what has the tag, and nothing else", async () => {
  const { library, subnets, nodeType, machineType } = open();
  const cluster = { nodeCount: 1, nodeType, subnets };
  const machine = { image: "ubuntu-24.04", type: machineType, subnet: "subnet-a" };
  await library.clusters.create({ ...cluster, name: "theirs" });
  await library.instances.create({ ...machine, name: "theirs" });
  const theirs = await account.list();
  for (const run of [name, "cw-test-other"]) {
    const tags = { "cloudwright-test": run };
    await library.clusters.create({ ...cluster, name: run, tags });
    await library.instances.create({ ...machine, name: run, tags });
  }
  await cleanUp(library, records, { run: name, note });
  expect(await library.clusters.find(name)).toBeUndefined();
  expect(await library.clusters.find("cw-test-other")).toBeDefined();
  await cleanUp(library, records, { note });
  expect(await account.list()).toEqual(theirs);
});

test("M240 a clean-up that fails for one resource tries the others, and keeps the record", async () => {
  const { library } = open();
  await records.add(name);
  const denied = new Error("denied");
  const clusters = { ...library.clusters, delete: async () => Promise.reject(denied) };
  const failed = await cleanUp({ ...library, clusters }, records, { note }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ errors: [denied] });
  expect(await records.list()).toEqual([name]);
});

test("M240 wrong credentials end a run before anything is created", async () => {
  const wrong = { ...account.environment, AWS_SECRET_ACCESS_KEY: "wrong" };
  const target = clouds["aws"]?.open(wrong, { clock: shortWaits }) as Target;
  const failed = await runStory(target, { name, upgrade: false, signal: never, note }).catch((error: unknown) => error);
  expect(isCloudFault(failed, "auth")).toBe(true);
  expect(await account.list()).toEqual(empty);
});

test("M240 a run costs less than a dollar in every cloud", () => {
  const environment = Object.fromEntries(Object.values(clouds).flatMap(({ needs }) => needs.map((need) => [need, "x"])));
  for (const cloud of Object.values(clouds)) {
    const target = cloud.open(environment, {});
    expect(estimatePrice(target, true)).toBeLessThan(1);
    expect(estimatePrice(target, false)).toBeLessThan(estimatePrice(target, true));
  }
});
