import type { JsonObject } from "@cloudwright/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { enqueueTask } from "../testing/enqueue-task.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { anyWork, joinTestAgent, type TestAgent } from "../testing/test-agent.ts";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";

/** The backend `pooled` holds states of two projects, `own` only those of `hostile`. Mallory administers `hostile`. */
let api: TestApi;
let mallory: Person;
let mine: TestAgent;
let shared: TestAgent;

beforeAll(async () => {
  api = await startTestApi();
  for (const project of ["victim", "hostile"]) await api.createProject(project);
  mallory = await api.createPerson("mallory", [{ project: "hostile", role: "owner" }]);
  [mine, shared] = [await joinTestAgent(api, "hostile", "mine"), await joinTestAgent(api, "system", "shared")];
  await createBackend("pooled", ["victim", "hostile"]);
  await createBackend("own", ["hostile"]);
  const keys = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "key-of-the-account" };
  await createAs("accounts", { metadata: { name: "prod" }, spec: { aws: keys } });
});
afterAll(() => api.close());

async function createBackend(name: string, projects: readonly string[]): Promise<void> {
  const settings = { bucket: "operator-states", region: "eu-west-1" };
  const secrets = { accessKeyId: "AKIAIOSFODNN7SHARED", secretAccessKey: "canary-of-the-bucket" };
  const spec = { type: "s3", settings, prefix: name, projects: [...projects], ...secrets };
  await api.must("POST", "/v1/backends", { body: { metadata: { name }, spec } });
}

async function createAs(collection: string, body: JsonObject): Promise<string> {
  const answer = await api.must("POST", `/v1/projects/hostile/${collection}`, { key: mallory.key, body });
  return answer.body.metadata.uid ?? "";
}

interface HeldTask {
  readonly uid: string;
  readonly leaseToken: string;
  readonly entityUid: string;
}

async function lease(agent: TestAgent): Promise<HeldTask[]> {
  const leased = await api.must("POST", "/v1/worker/tasks", { key: await agent.sign(), body: anyWork as never });
  return (leased.body as unknown as { tasks: HeldTask[] }).tasks;
}

/** Creates a network whose state is in a backend, and a task of the network. Returns the network's uid. */
async function enqueueFor(network: string, backend: string, placement: Readonly<Record<string, string>>): Promise<string> {
  const infra = { backend: { name: backend } };
  const spec = { account: "prod", region: "eu-west-1", infra };
  const entityUid = await createAs("networks", { metadata: { name: network }, spec });
  await enqueueTask(api, { project: "hostile", entityUid, entityKind: "Network", accountUid: null, placement });
  return entityUid;
}

/** Creates a network whose state is in a backend, and opens the state as the agent that holds a task of the network. */
async function openState(agent: TestAgent, network: string, backend: string): Promise<TestAnswer> {
  const entityUid = await enqueueFor(network, backend, {});
  const held = (await lease(agent)).find((task) => task.entityUid === entityUid);
  if (held === undefined) throw new Error("the task was not leased");
  const { uid, leaseToken } = held;
  return api.call("POST", "/v1/worker/state", { key: await agent.sign(), body: { uid, leaseToken } });
}

test("X062 M009 a project's own agent does not get the secrets of a backend that projects share, and the attempt is audited", async () => {
  const refused = await openState(mine, "stolen", "pooled");
  expect([refused.status, refused.body.code]).toEqual([403, "api.backend_agent_refused"]);
  expect(refused.text).not.toContain("canary");
  const text = "select code from audit where project = 'hostile' and outcome = 'denied'";
  expect((await api.pool.query({ text, values: [] })).rows).toEqual([{ code: "api.backend_agent_refused" }]);
});

test("X062 M009 a project's own agent gets the secrets of a backend that only the project uses", async () => {
  expect((await openState(mine, "mine", "own")).text).toContain("canary-of-the-bucket");
});

test("X062 M009 an agent of the platform gets the secrets of a backend that projects share", async () => {
  expect((await openState(shared, "pooled", "pooled")).text).toContain("canary-of-the-bucket");
});

test("X062 M043 a task that needs a shared backend waits for an agent of the platform, and one with the project's own backend does not", async () => {
  const pooled = await enqueueFor("waits", "pooled", { backend: "pooled" });
  const own = await enqueueFor("runs", "own", { backend: "own" });
  const listUids = async (agent: TestAgent): Promise<string[]> => (await lease(agent)).map(({ entityUid }) => entityUid);
  expect(await listUids(mine)).toEqual([own]);
  expect(await listUids(shared)).toEqual([pooled]);
});

test("X062 M043 a backend that gets a second project is withheld from the first project's agent from then on", async () => {
  await createBackend("grows", ["hostile"]);
  const first = await enqueueFor("before", "grows", { backend: "grows" });
  expect((await lease(mine)).map(({ entityUid }) => entityUid)).toEqual([first]);
  await api.must("PATCH", "/v1/backends/grows", { body: { spec: { projects: ["hostile", "victim"] } } });
  await enqueueFor("after", "grows", { backend: "grows" });
  expect(await lease(mine)).toEqual([]);
});
