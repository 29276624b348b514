import { requireTool } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPlatform, type Platform } from "./platform.ts";
import { waitUntil } from "../wait-until.ts";

export type Victim = "terraform" | "agent" | "control plane";

/** Points of a run at which a process is killed: at a gate of a Terraform command, or while the cloud is creating resources. */
const phases = ["before init", "before plan", "after plan", "before apply", "during apply", "after apply"] as const;
type Phase = (typeof phases)[number];

/** Defines tests that kill a process at every point of a run and during a destroy. They expect that nothing is lost or created twice. */
export function describeKills(victim: Victim): void {
  const tool = requireTool("terraform");
  if (!tool.found) console.log(`skipped: ${tool.reason}`);
  describe.skipIf(!tool.found)("kill -9 at every phase", () => {
    defineKills(victim, tool.found ? tool.path : "");
  });
}

function defineKills(victim: Victim, terraform: string): void {
  let platform: Platform;
  /** Resources of a network that was built without a kill. */
  let whole: { readonly types: readonly string[]; readonly resources: number };
  let held = 0;
  let made = 0;

  beforeAll(async () => {
    platform = await openPlatform(terraform);
    const uid = await platform.askFor("whole");
    await platform.waitForPhase("whole", "RUNNING");
    whole = { types: await listTypes(uid), resources: (await platform.readState(uid)).newest?.resources ?? 0 };
    await platform.remove("whole");
  });
  afterAll(async () => {
    console.log(`kill matrix: ${JSON.stringify({ victim, held, cells: phases.length + 1 })}`);
    await platform?.stop();
  });

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
      await platform.faults.add({ operation: "create", type: "aws_route_table", kind: "hang", deaf: true });
      const uid = await platform.askFor(name);
      await waitUntil("the run hangs after creating its subnets", async () => {
        const types = await listTypes(uid);
        return types.filter((type) => type === "aws_subnet").length === 3;
      });
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
    await platform.faults.add({ operation: "delete", type: "aws_vpc", kind: "hang", deaf: true });
    await platform.calls().send("DELETE", `/v1/projects/default/networks/${name}`);
    await waitUntil("only the network itself is left", async () => (await listTypes(uid)).join() === "aws_vpc");
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
