import { processEnvironment, requireTool } from "@cloudwright/platform";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPlatform, type Platform } from "../kill-matrix/platform.ts";
import { startLoneAgent, type LoneAgent } from "../kill-matrix/lone-agent.ts";
import { openSeverableLine, type SeverableLine } from "../kill-matrix/severable-line.ts";
import { waitUntil } from "../wait-until.ts";

const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);

describe.skipIf(!tool.found)("an unreachable state endpoint", () => {
  let platform: Platform;
  let line: SeverableLine;
  let agent: LoneAgent;
  const calls = (): ReturnType<Platform["calls"]> => platform.calls();

  beforeAll(async () => {
    platform = await openPlatform(tool.found ? tool.path : "", {
      CLOUDWRIGHT_ROLES: "api,tasks,reconciler",
      CLOUDWRIGHT_LEASE_SECONDS: "120",
    });
    line = await openSeverableLine(platform.server().address);
    agent = await startLoneAgent(calls(), {
      name: "lone",
      server: line.address,
      directory: join(platform.server().home, "agent"),
      path: `${platform.terraform.folder}:${processEnvironment["PATH"] ?? ""}`,
      // Keeps the simulated cloud in files, because it must work while the connection to the control plane is cut.
      environment: { CLOUDWRIGHT_AGENT_SIMULATOR: "files" },
    });
  });
  afterAll(async () => {
    await agent?.stop();
    await line?.close();
    await platform?.stop();
  });

  const count = async (uid: string, type: string): Promise<number> =>
    (await platform.listOwned(uid)).filter((record) => record.type === type).length;

  test("X031 M072 during an apply: the state contains all created resources once the endpoint is reachable again", async () => {
    await platform.faults.add({ operation: "create", type: "aws_route_table", kind: "slow", delayMs: 4000 });
    const uid = await platform.askFor("middle");
    await waitUntil("the run has created its subnets", async () => (await count(uid, "aws_subnet")) === 3);
    line.cut();
    await waitUntil(
      "the apply continues without the endpoint",
      async () => (await count(uid, "aws_route_table_association")) > 0,
    );
    line.mend();
    await platform.waitForPhase("middle", "RUNNING");
    expect(await count(uid, "aws_vpc")).toBe(1);
    expect((await platform.readState(uid)).lock).toBeUndefined();
    await platform.remove("middle");
    expect(await platform.listOwned(uid)).toEqual([]);
  });

  test("X031 M072 at the end of an apply: the state that could not be saved is recovered", async () => {
    await platform.faults.add({
      operation: "create",
      type: "aws_route_table_association",
      kind: "slow",
      delayMs: 3000,
      times: 3,
    });
    const uid = await platform.askFor("end");
    await waitUntil("the run has created its route tables", async () => (await count(uid, "aws_route_table")) > 0);
    line.cut();
    await waitUntil("Terraform gives up", async () => {
      const pid = await platform.terraform.findRunning("apply");
      return !isAlive(pid);
    });
    line.mend();
    await platform.waitForPhase("end", "RUNNING");
    expect(await count(uid, "aws_vpc")).toBe(1);
    expect((await platform.readState(uid)).newest?.resources).toBe((await platform.listOwned(uid)).length);
    await platform.remove("end");
    expect(await platform.listOwned(uid)).toEqual([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
