import { listLiveAgents } from "@cloudwright/tasks";
import type { JsonObject } from "@cloudwright/contract";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { refreshAgents } from "./refresh-agents.ts";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { enqueueTask } from "../testing/enqueue-task.ts";
import { anyWork, joinTestAgent, type TestAgent } from "../testing/test-agent.ts";

let api: TestApi;
let agent: TestAgent;
let made = 0;

beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  await api.pool.query({ text: "delete from agent_presence", values: [] });
  agent = await joinTestAgent(api, "default", `edge-${(made += 1)}`);
  await refreshAgents(api.deps);
});
afterAll(() => api.close());

async function ask(part: JsonObject = {}): Promise<void> {
  await api.must("POST", "/v1/worker/tasks", { key: await agent.sign(), body: { ...anyWork, ...part } });
}

async function age(seconds: number): Promise<void> {
  const text = "update agent_presence set seen_at = seen_at - make_interval(secs => $1)";
  await api.pool.query({ text, values: [seconds] });
}

async function readStatus(): Promise<JsonObject> {
  return (await api.must("GET", `/v1/projects/default/agents/${agent.name}`)).body.status;
}

async function listReasons(): Promise<string[]> {
  const { body } = await api.must("GET", `/v1/projects/default/events?filter=name=${agent.name}`);
  return (body.items as unknown as { reason: string }[]).map(({ reason }) => reason).toReversed();
}

test("M027 M045 an agent's status shows what it reported and that it is connected", async () => {
  expect(await readStatus()).toMatchObject({ phase: "PENDING" });
  await enqueueTask(api);
  await ask({ labels: { cloud: "aws,gcp" }, types: ["network.apply"], maxPayloadVersion: 2 });
  expect(await refreshAgents(api.deps)).toBe(1);
  expect(await readStatus()).toMatchObject({
    phase: "RUNNING",
    message: "",
    version: "1.2.3",
    labels: { cloud: "aws,gcp" },
    types: ["network.apply"],
    minPayloadVersion: 1,
    maxPayloadVersion: 2,
    runningTasks: 1,
    lastSeenAt: expect.any(String),
  });
});

test("M045 nothing is written unless a change is worth showing", async () => {
  await ask();
  expect([await refreshAgents(api.deps), await refreshAgents(api.deps)]).toEqual([1, 0]);
  const before = (await readStatus())["lastSeenAt"];
  await age(-59);
  expect(await refreshAgents(api.deps)).toBe(0);
  await age(-2);
  expect(await refreshAgents(api.deps)).toBe(1);
  expect((await readStatus())["lastSeenAt"]).not.toBe(before);
  await ask({ types: ["network.apply"] });
  expect(await refreshAgents(api.deps)).toBe(1);
});

test("M051 only one of several concurrent replicas writes", async () => {
  const replica = await api.startReplica();
  await ask();
  const written = await Promise.all([refreshAgents(api.deps), refreshAgents(replica.deps), refreshAgents(api.deps)]);
  expect(written.reduce((sum, count) => sum + count, 0)).toBe(1);
  expect(await listReasons()).toEqual(["Joined", "AgentSeen"]);
});

test("M027 an agent that is silent for too long has failed until it reports again; watchers see both", async () => {
  await ask();
  await refreshAgents(api.deps);
  const stream = await api.watch("/v1/projects/default/agents?watch=true");
  await stream.until(({ type }) => type === "SYNCED");
  await age(44);
  expect(await refreshAgents(api.deps)).toBe(0);
  await age(2);
  expect(await refreshAgents(api.deps)).toBe(1);
  const isNow = (phase: string) => (event: { data: { object: { status: JsonObject } } }) =>
    event.data.object.status["phase"] === phase;
  await stream.until(isNow("FAILED"));
  expect((await readStatus())["message"]).not.toBe("");
  await age(-50);
  await refreshAgents(api.deps);
  await stream.until(isNow("RUNNING"));
  stream.close();
  expect(await listReasons()).toEqual(["Joined", "AgentSeen", "AgentLost", "AgentSeen"]);
});

test("M027 a heartbeat counts as a report", async () => {
  await ask();
  await age(50);
  expect(await listLiveAgents(api.pool)).toEqual([]);
  const replica = await api.startReplica();
  const headers = { "content-type": "application/json" };
  const sent = await replica.send({ method: "POST", path: "/v1/worker/heartbeat", key: await agent.sign(), body: {}, headers });
  expect(sent.status).toBe(200);
  expect(await listLiveAgents(api.pool)).toHaveLength(1);
});

test("M027 tasks can be placed on agents that are connected and not draining", async () => {
  expect(await listLiveAgents(api.pool)).toEqual([]);
  await ask({ labels: { cloud: "aws, gcp", region: "*" } });
  expect(await listLiveAgents(api.pool)).toEqual([
    {
      uid: agent.uid,
      name: agent.name,
      project: "default",
      serves: ["default"],
      identity: { projects: ["default"], accounts: [] },
      withheldBackends: [],
      labels: { cloud: ["aws", "gcp"], region: "*" },
      types: "*",
      payloadVersions: { min: 1, max: 2 },
    },
  ]);
  await api.must("PATCH", `/v1/projects/default/agents/${agent.name}`, { body: { spec: { draining: true } } });
  expect(await listLiveAgents(api.pool)).toEqual([]);
  await refreshAgents(api.deps);
  expect(await readStatus()).toMatchObject({ phase: "RUNNING", message: expect.stringContaining("draining") });
});

test("M027 a draining agent is told so and gets no tasks", async () => {
  await enqueueTask(api);
  await api.must("PATCH", `/v1/projects/default/agents/${agent.name}`, { body: { spec: { draining: true } } });
  const answer = await api.must("POST", "/v1/worker/tasks", { key: await agent.sign(), body: anyWork });
  expect(answer.body).toEqual({ tasks: [], upgrade: "", draining: true });
});

test("M027 an agent's reports are deleted with it", async () => {
  await ask();
  await api.must("DELETE", `/v1/projects/default/agents/${agent.name}`);
  expect((await api.pool.query({ text: "select from agent_presence", values: [] })).rows).toEqual([]);
  expect(await refreshAgents(api.deps)).toBe(0);
});
