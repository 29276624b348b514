import { afterAll, beforeAll, expect, test } from "vitest";
import { runCloud, startCloud, type CommandOutcome } from "../cloud-command.ts";
import { startDemoAgent, type DemoAgent } from "../demo-agent.ts";
import { startServer, type RunningServer } from "../server.ts";

let server: RunningServer;
let agent: DemoAgent;

beforeAll(async () => {
  // Disables the embedded agent, so that only the demonstration agent leases tasks.
  server = await startServer({ environment: { CLOUDWRIGHT_ROLES: "api,tasks,reconciler" } });
  agent = await startDemoAgent(server, "demo");
  const made = await cloud("account", "create", "demo", "--cloud", "aws", "--simulated", "--wait", "--timeout", "2m");
  if (made.code !== 0) throw new Error(`the account is not ready: ${made.err}`);
});
afterAll(async () => {
  await agent?.stop();
  await server?.stop();
});

const cloud = (...args: string[]): Promise<CommandOutcome> => runCloud({ home: server.home }, ...args);

/** Returns the CLI arguments that create a network. `apply` tells the demonstration agent how the network's apply task should behave. */
const network = (name: string, apply: string): string[] =>
  ["network", "create", name, "--account", "demo", "--region", "eu-west-1"].concat(
    "--annotation",
    `demo.cloudwright.dev/network.apply=${apply}`,
  );

const operationOf = async (name: string): Promise<string> =>
  (await cloud("get", "network", name, "-o", "jsonpath={.metadata.operation}")).out.trim();

test("M010 --wait follows an operation to its end, and the operation lists every step", async () => {
  const { code, out, err } = await cloud(...network("good", "sleep=1s"), "--wait");
  expect([code, out]).toEqual([0, "network/good is RUNNING\n"]);
  expect(err).toMatch(/^create network\/good: RUNNING \d+%: .*$/m);
  const operation = await operationOf("good");
  const { out: shown } = await cloud("operation", "get", operation, "--timeline");
  expect(shown).toMatch(/infrastructure +DONE/);
  expect(shown).toMatch(/network\.apply +1\/\d+ +DONE/);
  expect(shown).toMatch(/api +Created +admin/);
  expect((await cloud("operation", "logs", operation)).out).toContain("[network.apply] ");
});

test("M053 failed work exits with code 7, can be retried, and Ctrl-C leaves it running", async () => {
  expect((await cloud(...network("bad", "fail=permanent"), "--wait")).code).toBe(7);
  await cloud("network", "update", "bad", "--annotation", "demo.cloudwright.dev/network.apply=sleep=5s");
  const operation = await operationOf("bad");
  const command = startCloud({ home: server.home }, "operation", "retry", operation, "--wait");
  await expect.poll(command.err).toContain("network.apply");
  command.signal("SIGINT");
  expect(await command.done).toMatchObject({
    code: 130,
    err: expect.stringContaining(`follow progress with: cloud operation watch ${operation}\n`) as string,
  });
  expect(await cloud("operation", "watch", operation)).toMatchObject({ code: 0, out: `operation/${operation} is DONE\n` });
});

test("M053 cancelling an operation stops its task, and a waiting command exits with code 8", async () => {
  const command = startCloud({ home: server.home }, ...network("long", "sleep=5m"), "--wait");
  await expect.poll(command.err).toContain("beat");
  const operation = await operationOf("long");
  expect(await cloud("operation", "cancel", operation, "--wait")).toMatchObject({
    code: 0,
    out: `operation/${operation} is CANCELLED\n`,
  });
  expect((await command.done).code).toBe(8);
});

test("X011 protected entities stay, and the deletion of others can be waited for", async () => {
  await cloud("network", "update", "good", "--deletion-protection");
  expect((await cloud("delete", "network", "good", "--yes")).err).toContain("(api.protected)");
  await cloud("network", "update", "good", "--no-deletion-protection");
  expect(await cloud("delete", "network", "good", "--wait", "--yes")).toMatchObject({ code: 0, out: "network/good deleted\n" });
  expect((await cloud("get", "network", "good")).code).toBe(3);
});

test("X010 a deletion that cannot finish says so, and --force finishes it and records what was abandoned", async () => {
  expect((await cloud(...network("stuck", "sleep=0s"), "--wait")).code).toBe(0);
  await cloud("network", "update", "stuck", "--annotation", "demo.cloudwright.dev/network.destroy=fail=permanent");
  expect((await cloud("delete", "network", "stuck", "--wait", "--yes")).code).toBe(7);
  expect((await cloud("delete", "network", "stuck", "--force")).code).toBe(4);
  const forced = await cloud("delete", "network", "stuck", "--force", "--yes", "--wait");
  expect(forced).toMatchObject({ code: 0, err: expect.stringContaining("abandoned: ") as string });
});

test("M003 a drained agent gets no new tasks until it is resumed", async () => {
  await cloud("-p", "system", "agent", "drain", "demo");
  expect((await cloud(...network("later", "sleep=0s"), "--wait", "--timeout", "2s")).code).toBe(9);
  await cloud("-p", "system", "agent", "undrain", "demo");
  expect((await cloud("operation", "watch", await operationOf("later"))).code).toBe(0);
});
