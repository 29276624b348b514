import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requireTool } from "@cloudwright/platform";
import { fileURLToPath } from "node:url";
import { runCloud, type CommandOutcome } from "../cloud-command.ts";
import { removeHome } from "../home-directory.ts";
import { findOrdinaryUser } from "../ordinary-user.ts";
import { startServer, type RunningServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const terraform = requireTool("terraform");
const found = await findOrdinaryUser();
const obstacle = "reason" in found ? found.reason : terraform.found ? undefined : terraform.reason;
if (obstacle !== undefined) console.log(`skipped: a laptop without root, because ${obstacle}`);

describe.skipIf(obstacle !== undefined)("a laptop without root", () => {
  const user = found as Exclude<typeof found, { reason: string }>;
  let server: RunningServer;

  /** Runs `cloud` as the ordinary user. */
  function cloud(...args: string[]): Promise<CommandOutcome> {
    const { uid, gid } = user.identity;
    const enter = process.getuid?.() === 0 ? ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"] : [];
    const command = [...enter, `${root}/node_modules/.bin/node`, `${root}/apps/cli/bin/cloud.js`];
    return runCloud({ home: user.home, command }, ...args);
  }
  const must = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await cloud(...args);
    if (code === 0) return out;
    throw new Error(`cloud ${args.join(" ")} exited with ${code}: ${err}${out}`);
  };

  beforeAll(async () => {
    server = await startServer({ ...user, environment: { CLOUDWRIGHT_AGENT_HOSTS: "laptop" } });
  });
  afterAll(async () => {
    await server?.stop();
    await removeHome(user.home);
  });

  test("M206 a user without root sees what the machine can do, what could not be checked, and how to check it", async () => {
    const { code, out, err } = await cloud("local", "check");
    expect([code, err]).toEqual([10, ""]);
    expect(out).toContain("This machine cannot be a host of the local cloud");
    expect(out).toContain("sudo cloud local check");
    expect(out).toMatch(/^missing\s+root\s/m);
    expect(await cloud("local", "clean", "--yes")).toMatchObject({ code: 0 });
  });

  test("M206 an account of a machine whose agent is not root says so, and the agent continues its other work", async () => {
    const hasJoined = async (): Promise<boolean> => (await cloud("agent", "get", "embedded", "-p", "system")).code === 0;
    await waitUntil("the agent has joined", hasJoined, 180_000);
    await must("agent", "update", "embedded", "-p", "system", "--identity-projects", "default");
    const { code, err, out } = await cloud(
      "account",
      "create",
      "own",
      "--cloud",
      "local",
      "--local-agent-label",
      "laptop",
      "--wait",
    );
    expect(code).not.toBe(0);
    expect(`${out}${err}`).toContain("hosts.not_a_host");
    expect(`${out}${err}`).toMatch(/not running as root/);
    await must("network", "create", "own", "--account", "own", "--cidr", "10.94.0.0/24");
    await waitUntil("the network says what it waits for", async () =>
      (await must("network", "get", "own")).includes('Account "own", which is FAILED'),
    );
    for (const entity of ["network", "account"]) await must(entity, "delete", "own", "--yes", "--wait");
  });

  test("M206 simulated clouds work on a machine without root", async () => {
    await must("account", "create", "sim", "--cloud", "aws", "--simulated", "--wait");
    await must("network", "create", "net", "--account", "sim", "--region", "eu-west-1", "--wait");
    expect(await must("network", "get", "net", "-o", "jsonpath={.status.phase}")).toContain("RUNNING");
  });
});
