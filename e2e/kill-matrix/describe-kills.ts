import { requireTool, systemClock } from "@cloudwright/platform";
import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPlatform, type Platform } from "./platform.ts";
import type { Victim } from "./kill-cases.ts";
import { waitUntil } from "../wait-until.ts";

/** Maximum time between reaching a kill point and the kill. */
const longestDelayMs = 300;
const unlimited = 100_000;

/** Points in a run at which a process is killed: at a gate of a Terraform command, or while the cloud is creating resources. */
const phases = ["before init", "before plan", "after plan", "before apply", "during apply", "after apply"] as const;
type Phase = (typeof phases)[number];

/** Defines tests that kill a process at every point of a run and during a destroy. They check that nothing is lost or created twice. */
export function describeKills(victim: Victim): void {
  const tool = requireTool("terraform");
  if (!tool.found) console.log(`skipped: ${tool.reason}`);
  describe.skipIf(!tool.found)("kill -9 at every phase", () => {
    defineKills(victim, tool.found ? tool.path : "");
  });
}

function defineKills(victim: Victim, terraform: string): void {
  let platform: Platform;
  /** Resources of a network that was built without interruption. */
  let whole: { readonly types: readonly string[]; readonly resources: number; readonly creates: number };
  const seed = chooseSeed();
  const random = createRandom(seed);
  let held = 0;
  let made = 0;

  beforeAll(async () => {
    platform = await openPlatform(terraform);
    await hangAt("create", unlimited);
    const uid = await platform.askFor("whole");
    await platform.waitForPhase("whole", "RUNNING");
    const resources = (await platform.readState(uid)).newest?.resources ?? 0;
    whole = { types: await listTypes(uid), resources, creates: await countCalls() };
    await platform.faults.clear();
    await platform.remove("whole");
  });
  afterAll(async () => {
    console.log(`kill matrix: ${JSON.stringify({ victim, seed, held, cells: phases.length + 1 })}`);
    await platform?.stop();
  });

  /** Makes all calls of one operation hang, starting with the n-th call. */
  const hangAt = (operation: "create" | "delete", nth: number): Promise<void> =>
    platform.faults.add({ operation, kind: "hang", deaf: true, nth, times: unlimited });
  const countCalls = async (): Promise<number> => (await platform.faults.list())[0]?.seen ?? 0;
  const listTypes = async (uid: string): Promise<string[]> => (await platform.listOwned(uid)).map(({ type }) => type).toSorted();

  test.each(phases)(`X031 X030 M053 ${victim} is killed %s: nothing is lost or created twice`, async (phase) => {
    made += 1;
    const name = `net-${made}`;
    const uid = await catchApply(name, phase);
    await platform.waitForPhase(name, "RUNNING");
    expect(await listTypes(uid)).toEqual(whole.types);
    const state = await platform.readState(uid);
    expect(state.newest?.resources).toBe(whole.resources);
    expect(state.lock).toBeUndefined();
    await platform.remove(name);
    expect(await platform.listOwned(uid)).toEqual([]);
    held += 1;
  });

  test(`X031 X030 M053 ${victim} is killed during destroy: the remaining resources are deleted`, async () => {
    made += 1;
    const name = `net-${made}`;
    const uid = await catchDestroy(name);
    await platform.waitUntilGone(name);
    expect(await platform.listOwned(uid)).toEqual([]);
    held += 1;
  });

  async function catchApply(name: string, phase: Phase): Promise<string> {
    if (phase === "during apply") {
      const boundary = random.whole(1, whole.creates);
      console.log(`${victim}: killed at create ${boundary} of ${whole.creates}`);
      await hangAt("create", boundary);
      const uid = await platform.askFor(name);
      await waitUntil(`create ${boundary} hangs`, async () => (await countCalls()) >= boundary);
      await systemClock.sleep(random.whole(0, longestDelayMs));
      await kill(await platform.terraform.findRunning("apply"), () => platform.faults.clear());
      return uid;
    }
    const gate = phase.replace(" ", "-");
    await platform.terraform.close(gate);
    const uid = await platform.askFor(name);
    await kill(await platform.terraform.waitAt(gate), () => platform.terraform.open(gate));
    return uid;
  }

  async function catchDestroy(name: string): Promise<string> {
    const uid = await platform.askFor(name);
    await platform.waitForPhase(name, "RUNNING");
    const boundary = random.whole(1, whole.creates);
    console.log(`${victim}: killed at delete ${boundary} of ${whole.creates}`);
    await hangAt("delete", boundary);
    await platform.calls().send("DELETE", `/v1/projects/default/networks/${name}`);
    await waitUntil(`delete ${boundary} hangs`, async () => (await countCalls()) >= boundary);
    await systemClock.sleep(random.whole(0, longestDelayMs));
    await kill(await platform.terraform.findRunning("apply"), () => platform.faults.clear());
    return uid;
  }

  async function kill(running: number, release: () => Promise<void>): Promise<void> {
    if (victim === "control plane") await platform.server().kill9();
    else process.kill(victim === "agent" ? await platform.findAgent() : running, "SIGKILL");
    await release();
    if (victim === "control plane") await platform.restart();
  }
}
