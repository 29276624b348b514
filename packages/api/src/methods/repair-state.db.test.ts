import type { JsonObject } from "@cloudwright/contract";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { enqueueTask } from "../testing/enqueue-task.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { createStack, renderTfState, startRun } from "../testing/state-run.ts";
import { joinTestAgent } from "../testing/test-agent.ts";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import { clearWakes, readOperation, readWakes, setOperationState } from "../testing/work.ts";

const states = "/v1/projects/default/states";
let api: TestApi;
let agent: string;
let editor: Person;
let stranger: Person;
let account: string;
let uid: string;
let count = 0;

beforeAll(async () => {
  api = await startTestApi();
  agent = await (await joinTestAgent(api, "system", "ada")).sign();
  editor = await api.createPerson("eddie", [{ project: "default", role: "editor" }]);
  await api.createProject("theirs");
  stranger = await api.createPerson("eve", [{ project: "theirs", role: "owner" }]);
  await api.must("POST", "/v1/projects/default/accounts", {
    body: { metadata: { name: "acc" }, spec: { simulated: true, aws: {} } },
  });
  account = "acc";
});
afterAll(() => api.close());

/** Starts a run on the network. The run holds the lease on its task. */
const run = () => startRun(api, agent, uid, { work: { entityKind: "Network", entityName: "net" } });

beforeEach(async () => {
  count += 1;
  const body = { metadata: { name: `net-${count}` }, spec: { account, region: "eu-west-1", cidr: "10.0.0.0/16" } };
  uid = (await api.must("POST", "/v1/projects/default/networks", { body })).body.metadata.uid ?? "";
  const first = await run();
  await first.lock("a");
  await first.post(renderTfState(1, { vpc: { id: "vpc-1", token: "canary-1" }, eip: { id: "eip-1" } }), "a");
  await first.unlock("a");
  await first.finish();
});

const seen = ({ status, body }: TestAnswer): [number, string] => [status, body.code ?? ""];
const act = (verb: string, body: JsonObject, key = api.adminKey): Promise<TestAnswer> =>
  api.call("POST", `${states}/${uid}:${verb}`, { body, key });
const adopt = (more: JsonObject = {}, key?: string) => act("adopt", { address: "terraform_data.new", id: "vpc-9", ...more }, key);
const forget = (more: JsonObject = {}, key?: string) => act("forget", { address: "terraform_data.vpc", ...more }, key);
const listForgotten = async (): Promise<unknown> =>
  ((await api.must("GET", `${states}/${uid}/resources`)).body as unknown as JsonObject)["forgotten"];

test("X010 an admin starts an operation that names the resource and the requester; it is audited and wakes the entity", async () => {
  await clearWakes(api);
  const answer = await adopt();
  expect(answer.status).toBe(202);
  const operation = await readOperation(api, answer);
  expect(operation).toMatchObject({
    spec: { verb: "adopt", entityUid: uid, repair: { address: "terraform_data.new", id: "vpc-9", dryRun: false } },
    status: { state: "WAITING" },
  });
  expect((await readWakes(api)).has(uid)).toBe(true);
  const audit = await api.pool.query({
    text: "select verb, kind, outcome from audit where request_id = $1",
    values: [answer.headers["x-request-id"]],
  });
  expect(audit.rows).toEqual([{ verb: "adopt", kind: "State", outcome: "allowed" }]);
  const entity = (await api.must("GET", `/v1/projects/default/networks/${uid}`)).body;
  expect(entity.metadata.operation).not.toBe(operation.metadata.name);
});

test("X010 X080 only admins of the project adopt and forget; every refusal is audited", async () => {
  for (const request of [adopt, forget]) {
    expect(seen(await request({}, editor.key))).toEqual([403, "api.denied"]);
    expect((await request({}, stranger.key)).status).toBe(404);
  }
  const theirs = `/v1/projects/theirs/states/${uid}:forget`;
  expect((await api.call("POST", theirs, { body: { address: "terraform_data.vpc" }, key: stranger.key })).status).toBe(404);
  const { rows } = await api.pool.query({
    text: "select actor, outcome from audit where verb in ('adopt', 'forget') and outcome = 'denied'",
    values: [],
  });
  expect(rows.length).toBeGreaterThanOrEqual(4);
  expect(await listForgotten()).toEqual([]);
});

test("X010 both are refused while a run is queued or in progress, and while the state is locked", async () => {
  const held = await run();
  expect(seen(await adopt())).toEqual([409, "api.run_in_progress"]);
  await held.lock("b");
  expect(seen(await forget())).toEqual([423, "api.state_locked"]);
  await held.unlock("b");
  await held.finish();
  await enqueueTask(api, { entityUid: uid, placement: { cloud: "nowhere" } });
  expect(seen(await forget())).toEqual([409, "api.run_in_progress"]);
  expect(await listForgotten()).toEqual([]);
});

test("X010 only one of several concurrent requests is accepted", async () => {
  const answers = await Promise.all([adopt(), forget(), adopt({ id: "vpc-8" }), forget({ address: "terraform_data.eip" })]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409, 409, 409]);
});

test("X010 a forgotten resource is not offered to runs for adoption, and merely requesting its adoption does not change that", async () => {
  const opened = async (): Promise<unknown> => {
    const held = await run();
    const body = { uid: held.taskUid, leaseToken: held.leaseToken };
    const answer = (await api.must("POST", "/v1/worker/state", { key: agent, body })).body as unknown as JsonObject;
    await held.finish();
    return answer["forgotten"] ?? [];
  };
  const end = async (answer: TestAnswer, state: string): Promise<void> => {
    expect(answer.status).toBe(202);
    await setOperationState(api, (await readOperation(api, answer)).metadata.uid ?? "", state);
  };
  const write = async (serial: number, resources: Parameters<typeof renderTfState>[1]): Promise<void> => {
    const next = await run();
    await next.lock("a");
    await next.post(renderTfState(serial, resources), "a");
    await next.unlock("a");
    await next.finish();
  };
  await end(await forget({ dryRun: true }), "DONE");
  expect(await opened()).toEqual([]);
  await end(await forget(), "DONE");
  await write(2, { eip: { id: "eip-1" } });
  const forgotten = { address: "terraform_data.vpc", type: "terraform_data", id: "vpc-1" };
  expect(await opened()).toEqual([{ type: "terraform_data", id: "vpc-1" }]);
  expect(await listForgotten()).toEqual([forgotten]);
  // The reconciler deletes the record of a forgotten resource only after its adoption has succeeded.
  await end(await adopt({ id: "vpc-1" }), "FAILED");
  expect(await listForgotten()).toEqual([forgotten]);
  // A killed agent may have adopted the resource without reporting it.
  await write(3, { vpc: { id: "vpc-1" }, eip: { id: "eip-1" } });
  expect(await listForgotten()).toEqual([]);
});

test("X010 an address that is not in the state is rejected by name, unless the resource was already forgotten", async () => {
  const missing = await forget({ address: "terraform_data.vcp" });
  expect([missing.status, missing.body.code, missing.text]).toEqual([
    404,
    "api.not_in_state",
    expect.stringContaining("terraform_data.vcp"),
  ]);
  const accepted = await forget();
  await setOperationState(api, (await readOperation(api, accepted)).metadata.uid ?? "", "DONE");
  const next = await run();
  await next.lock("a");
  await next.post(renderTfState(2, { eip: { id: "eip-1" } }), "a");
  await next.unlock("a");
  await next.finish();
  expect((await forget()).status).toBe(202);
});

test("X010 a resource cannot be forgotten if the platform cannot read the state", async () => {
  const next = await run();
  await next.lock("a");
  const { serial, lineage } = JSON.parse(renderTfState(2, {}).toString()) as { serial: number; lineage: string };
  await next.post(Buffer.from(JSON.stringify({ serial, lineage, encrypted_data: "AAAA" })), "a");
  await next.unlock("a");
  await next.finish();
  expect(seen(await forget())).toEqual([409, "api.cannot_forget"]);
});

test.each([
  { address: "" },
  { address: "vpc" },
  { address: "-state=/etc/passwd" },
  { address: "terraform_data.vpc\n" },
  { address: "terraform_data.vpc; rm -rf /" },
  { address: 'terraform_data.vpc["a"]["b"]' },
  { address: "data.aws_vpc.this" },
  { address: `terraform_data.${"a".repeat(600)}` },
  { address: "terraform_data.vpc\u202e" },
])("X010 the address $address is rejected", async ({ address }) => {
  expect((await adopt({ address })).status).toBe(400);
  expect((await forget({ address })).status).toBe(400);
});

test.each([{ id: "" }, { id: "-help" }, { id: "vpc-1\nvpc-2" }, { id: " vpc-1" }, { id: "a".repeat(3000) }])(
  "X010 the id $id is rejected",
  async ({ id }) => {
    expect((await adopt({ id })).status).toBe(400);
  },
);

test("X010 entities without resources of their own, and deleted ones, cannot be repaired", async () => {
  uid = await createStack(api);
  const held = await startRun(api, agent, uid);
  await held.finish();
  expect(seen(await adopt())).toEqual([404, "api.not_in_state"]);
  uid = "01990000-0000-7000-8000-000000000000";
  expect(seen(await adopt())).toEqual([404, "api.not_found"]);
});

test("X010 editors list the addresses and ids of a state, and no other attribute", async () => {
  const { text } = await api.must("GET", `${states}/${uid}/resources`, { key: editor.key });
  expect(JSON.parse(text)).toEqual({
    items: [
      { address: "terraform_data.vpc", type: "terraform_data", id: "vpc-1" },
      { address: "terraform_data.eip", type: "terraform_data", id: "eip-1" },
    ],
    forgotten: [],
  });
  expect(text).not.toContain("canary-1");
});
