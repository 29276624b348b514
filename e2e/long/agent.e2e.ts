import { processEnvironment } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { startServer, type RunningServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";

const program = fileURLToPath(new URL("../../apps/agent/src/main.ts", import.meta.url));
const node = fileURLToPath(new URL("../../node_modules/.bin/node", import.meta.url));
const project = "/v1/projects/default";
let server: RunningServer;
let calls: AdminCalls;

beforeAll(async () => {
  server = await startServer({ environment: { CLOUDWRIGHT_ROLES: "api,tasks,reconciler", CLOUDWRIGHT_LEASE_SECONDS: "10" } });
  calls = createAdminCalls(server);
  await calls.create(`${project}/accounts`, { metadata: { name: "cloud" }, spec: { simulated: true, aws: {} } });
});
afterAll(async () => {
  await server?.stop();
});

async function issueToken(): Promise<string> {
  const response = await calls.send("POST", "/v1/projects/system/jointokens", {});
  return ((await response.json()) as { joinToken: string }).joinToken;
}

/** Starts an agent process with demonstration handlers. The process is stopped when the test ends. */
function startAgent(name: string, token: string) {
  const journal = join(server.home, "demo.jsonl");
  const child = spawn(node, [program, "run", "--demo"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: processEnvironment["PATH"],
      CLOUDWRIGHT_SERVER: server.address,
      CLOUDWRIGHT_AGENT_NAME: name,
      CLOUDWRIGHT_AGENT_DIR: join(server.home, name),
      CLOUDWRIGHT_JOIN_TOKEN: token,
      CLOUDWRIGHT_DEMO_JOURNAL: journal,
      CLOUDWRIGHT_AGENT_STOP_SECONDS: "0",
      CLOUDWRIGHT_AGENT_CANCEL_SECONDS: "1",
    },
  });
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output.text += String(data)));
  const ended = once(child, "exit").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const lines = (): { event: string; pid: number }[] =>
    existsSync(journal)
      ? readFileSync(journal, "utf8")
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line) as { event: string; pid: number })
      : [];
  return { child, ended, output, lines };
}

function createNetwork(name: string, annotations: Record<string, string> = {}) {
  const spec = { account: "cloud", region: "eu-west-1", cidr: "10.0.0.0/16" };
  return calls.create(`${project}/networks`, { metadata: { name, annotations }, spec });
}

const phaseOf = async (name: string): Promise<unknown> => (await calls.get(`${project}/networks/${name}`)).status["phase"];

test("M005 M044 an agent joins with a token, runs tasks, and is rejected after it was deleted", async () => {
  const token = await issueToken();
  const agent = startAgent("agent-a", token);
  await createNetwork("one");
  await waitUntil("network one runs", async () => (await phaseOf("one")) === "RUNNING");
  const known = await calls.get("/v1/projects/system/agents/agent-a");
  expect(known.status).toMatchObject({ version: "0.1.0" });
  expect(agent.output.text).not.toContain(token);

  await calls.send("DELETE", "/v1/projects/system/agents/agent-a");
  // The deleted agent still has an open poll, but must not receive this network's tasks.
  await createNetwork("two");
  await waitUntil("the agent is rejected", () => agent.output.text.includes("task_client.refused"));
  const second = startAgent("agent-b", token);
  expect(await second.ended).toBe(1);
  expect(second.output.text).toContain("task_client.join_refused");
  startAgent("agent-b", await issueToken());
  await waitUntil("network two runs", async () => (await phaseOf("two")) === "RUNNING");
});

test("M049 cancelling an operation ends the agent's program, even if the program ignores the signal", async () => {
  const agent = startAgent("agent-c", await issueToken());
  const network = await createNetwork("three", { "demo.cloudwright.dev/apply": "sleep=300s;ignore-cancel" });
  const before = agent.lines().length;
  const started = () =>
    agent
      .lines()
      .slice(before)
      .filter(({ event }) => event === "start");
  await waitUntil("the long program is running", () =>
    agent
      .lines()
      .slice(before)
      .some(({ event }) => event === "beat"),
  );
  const pid = started().at(-1)?.pid ?? 0;
  const path = `${project}/operations/${network.metadata.operation ?? ""}`;
  expect((await calls.send("POST", `${path}:cancel`, {})).status).toBe(202);
  await waitUntil("the operation is cancelled", async () => (await calls.get(path)).status["state"] === "CANCELLED");
  expect(existsSync(`/proc/${pid}`)).toBe(false);
});

test("M054 a stopped agent returns its task, and another agent completes it", async () => {
  const first = startAgent("agent-d", await issueToken());
  const before = first.lines().length;
  await createNetwork("four", { "demo.cloudwright.dev/apply": "sleep=3s" });
  await waitUntil("the program is running", () =>
    first
      .lines()
      .slice(before)
      .some(({ event }) => event === "beat"),
  );
  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(0);
  startAgent("agent-e", await issueToken());
  await waitUntil("network four runs", async () => (await phaseOf("four")) === "RUNNING");
});
