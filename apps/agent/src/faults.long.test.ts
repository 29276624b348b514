import {
  createCleanup,
  createTestDirectory,
  findOverlaps,
  readDemoJournal,
  startFakeServer,
  type FakeServer,
} from "@cloudwright/task-client/testing";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive, listChildren, spawnAgent, type AgentProcess } from "./testing/agent-process.ts";

const cleanup = createCleanup();
let server: FakeServer;
let folder: string;
let journal: string;

beforeEach(async () => {
  server = await startFakeServer({ leaseSeconds: 3 });
  cleanup.add(() => server.close());
  folder = createTestDirectory(cleanup);
  journal = join(folder, "demo.jsonl");
});
afterEach(() => cleanup.run());

const slow = { "demo.cloudwright.dev/*": "sleep=4s" };

function start(name: string, environment: Record<string, string> = {}): AgentProcess {
  const own = { CLOUDWRIGHT_AGENT_NAME: name, CLOUDWRIGHT_AGENT_DIR: join(folder, name), CLOUDWRIGHT_DEMO_JOURNAL: journal };
  return spawnAgent(server, cleanup, { ...own, ...environment });
}

const lines = () => readDemoJournal(journal);
const starts = () => lines().filter(({ event }) => event === "start");
async function firstChild(): Promise<void> {
  await expect.poll(() => starts()[0]?.pid ?? 0).toBeGreaterThan(0);
}

function findWatchdog(agent: AgentProcess): number | undefined {
  return listChildren(agent.pid).find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("watchdog"));
}

test("X020 when an agent is killed, its programs exit too; if it restarts within the lease, it resumes its task", async () => {
  server.manners.leaseSeconds = 30;
  const task = server.enqueue({ annotations: slow });
  const first = start("agent-a");
  await firstChild();
  const pid = starts()[0]?.pid ?? 0;
  const watchdog = findWatchdog(first) ?? 0;
  await first.end("SIGKILL");
  await expect.poll(() => isAlive(pid)).toBe(false);
  await expect.poll(() => isAlive(watchdog)).toBe(false);
  start("agent-a");
  await expect.poll(() => task.state).toBe("done");
  expect(task.leases).toBe(1);
  expect(starts()).toHaveLength(2);
  expect(findOverlaps(lines())).toEqual([]);
});

test("X020 when an agent is frozen past its lease, its programs exit before the lease ends, another agent does the work, and the late outcome is ignored", async () => {
  const task = server.enqueue({ annotations: slow });
  const frozen = start("agent-a");
  await firstChild();
  const pid = starts()[0]?.pid ?? 0;
  frozen.signal("SIGSTOP");
  start("agent-b");
  // By the time the task is leased again, the program that the frozen agent started must no longer be running.
  await expect.poll(() => task.leases, { interval: 10 }).toBe(2);
  expect(isAlive(pid)).toBe(false);
  frozen.signal("SIGCONT");
  await expect.poll(() => task.state).toBe("done");
  expect(task.outcomes.filter(({ outcome }) => outcome === "done")).toHaveLength(1);
  expect(findOverlaps(lines())).toEqual([]);
});

test("X020 programs exit when the watchdog is killed, and the task completes under a new watchdog", async () => {
  server.manners.leaseSeconds = 20;
  const task = server.enqueue({ annotations: slow });
  const agent = start("agent-a");
  await firstChild();
  const pid = starts()[0]?.pid ?? 0;
  const watchdog = findWatchdog(agent) ?? 0;
  process.kill(watchdog, "SIGKILL");
  await expect.poll(() => isAlive(pid)).toBe(false);
  await expect.poll(() => task.state).toBe("done");
  expect(task.outcomes[0]?.outcome).toBe("returned");
  expect(findWatchdog(agent)).not.toBe(watchdog);
  expect(findOverlaps(lines())).toEqual([]);
});

test("X020 no work is lost during a short server outage", async () => {
  server.manners.leaseSeconds = 20;
  const task = server.enqueue({ annotations: slow });
  start("agent-a");
  await firstChild();
  await server.pause();
  await expect.poll(() => lines().filter(({ event }) => event === "beat").length).toBeGreaterThan(3);
  await server.resume();
  await expect.poll(() => task.state).toBe("done");
  expect(starts()).toHaveLength(1);
});

test("X020 after an outage that outlasts the lease, no program is still running, and the task completes later", async () => {
  const task = server.enqueue({ annotations: { "demo.cloudwright.dev/*": "sleep=8s" } });
  start("agent-a");
  await firstChild();
  const pid = starts()[0]?.pid ?? 0;
  await server.pause();
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(lines().some(({ event }) => event === "end")).toBe(false);
  await server.resume();
  await expect.poll(() => task.state).toBe("done");
  expect(findOverlaps(lines())).toEqual([]);
});

test("M054 a stopped agent hands its tasks back and exits with 0", async () => {
  const task = server.enqueue({ annotations: slow });
  const agent = start("agent-a");
  await firstChild();
  await expect(agent.end("SIGTERM")).resolves.toEqual({ code: 0, signal: null });
  expect(task.outcomes.map(({ outcome }) => outcome)).toEqual(["returned"]);
  expect(isAlive(starts()[0]?.pid ?? 0)).toBe(false);
});

test("M052 an agent logs its identity at startup, and a second agent in the same directory fails", async () => {
  const agent = start("agent-a");
  await expect.poll(() => agent.stdout()).toContain("agent-a");
  const second = start("agent-a");
  await expect(second.ended).resolves.toMatchObject({ code: 1 });
  expect(second.stderr()).toContain("task_client.already_running");
});

test("M005 an agent without a token says how to get one, and never prints its token", async () => {
  const agent = start("agent-a", { CLOUDWRIGHT_JOIN_TOKEN: "" });
  await expect(agent.ended).resolves.toMatchObject({ code: 1 });
  expect(agent.stderr()).toContain("task_client.not_joined");
  const refused = start("agent-a", { CLOUDWRIGHT_JOIN_TOKEN: "not-a-token-of-this-server" });
  await expect(refused.ended).resolves.toMatchObject({ code: 1 });
  expect(refused.stderr()).toContain("task_client.join_refused");
  expect(refused.stderr() + refused.stdout()).not.toContain("not-a-token-of-this-server");
});

async function startDeployer(environment: Record<string, string> = {}): Promise<Record<string, string>> {
  const own = { CLOUDWRIGHT_DEPLOYER_TOKEN: "shared", CLOUDWRIGHT_AGENT_DIR: join(folder, "d") };
  const deployer = spawnAgent(server, cleanup, { ...own, ...environment, CLOUDWRIGHT_DEPLOYER_LISTEN: "127.0.0.1:0" }, [
    "deployer",
  ]);
  await expect.poll(() => deployer.stdout()).toContain("http://");
  const url = /http:\S+/.exec(deployer.stdout())?.[0] ?? "";
  return { CLOUDWRIGHT_DEPLOYERS: `network=${url}`, CLOUDWRIGHT_DEPLOYER_TOKEN: "shared" };
}

test("M056 an agent uses the deployers in its settings", async () => {
  const settings = await startDeployer();
  const task = server.enqueue({ annotations: { "demo.cloudwright.dev/*": "sleep=1ms" } });
  const agent = start("agent-a", settings);
  await expect.poll(() => task.state).toBe("done");
  expect(agent.stderr()).not.toContain("shared");
  // If the agent had run the task itself, its start would be recorded in the journal.
  expect(starts()).toEqual([]);
});

test("M056 X020 a deployer stops its programs before a frozen agent's lease expires", async () => {
  server.manners.leaseSeconds = 6;
  const settings = await startDeployer({ CLOUDWRIGHT_DEMO_JOURNAL: journal });
  const task = server.enqueue({ annotations: slow });
  const frozen = start("agent-a", settings);
  await firstChild();
  const pid = starts()[0]?.pid ?? 0;
  frozen.signal("SIGSTOP");
  start("agent-b", settings);
  await expect.poll(() => task.leases, { interval: 10 }).toBe(2);
  expect(isAlive(pid)).toBe(false);
  frozen.signal("SIGCONT");
  await expect.poll(() => task.state).toBe("done");
  expect(findOverlaps(lines())).toEqual([]);
});

test("M074 an agent with an unusable plug-in does not start, and the error names the plug-in", async () => {
  const broken = start("agent-a", { CLOUDWRIGHT_DEMO_HANDLERS: "", CLOUDWRIGHT_AGENT_PLUGINS: "/nowhere/plug-in.ts" });
  await expect(broken.ended).resolves.toMatchObject({ code: 1 });
  expect(broken.stderr()).toContain("/nowhere/plug-in.ts");
  expect(broken.stderr()).toContain("platform.bad_configuration");
});

test("M068 an agent without Terraform says so in one line and offers no task types", async () => {
  const nothing = { CLOUDWRIGHT_DEMO_HANDLERS: "", PATH: "/nowhere", CLOUDWRIGHT_HOME: folder };
  const bare = start("agent-a", { ...nothing, CLOUDWRIGHT_LOG_LEVEL: "warn" });
  await expect.poll(() => server.polls.at(-1)?.types).toEqual([]);
  expect(bare.stderr() + bare.stdout()).toContain("terraform not found");
});

test("M068 fetch-terraform uses an installed Terraform", async () => {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "terraform"), `#!/bin/sh\necho '{"terraform_version":"1.9.8"}'\n`, { mode: 0o755 });
  const own = { PATH: bin, CLOUDWRIGHT_HOME: folder };
  const agent = spawnAgent(server, cleanup, own, ["fetch-terraform"]);
  await expect(agent.ended).resolves.toMatchObject({ code: 0 });
  expect(agent.stdout()).toContain(`Terraform 1.9.8 is installed at ${join(bin, "terraform")}`);
});
