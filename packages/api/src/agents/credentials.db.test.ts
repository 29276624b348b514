import { afterAll, beforeAll, expect, test } from "vitest";
import { createUid, systemClock } from "@cloudwright/platform";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { enqueueTask } from "../testing/enqueue-task.ts";
import { createAccount } from "../testing/simulating-run.ts";
import { anyWork, joinTestAgent } from "../testing/test-agent.ts";

let api: TestApi;
let agent: string;
let stranger: string;

beforeAll(async () => {
  api = await startTestApi();
  agent = await (await joinTestAgent(api, "system", "ada")).sign();
  stranger = await (await joinTestAgent(api, "system", "eve")).sign();
});
afterAll(() => api.close());

interface Held {
  readonly uid: string;
  readonly leaseToken: string;
}

async function lease(entityUid: string, accountUid: string | null): Promise<Held> {
  await enqueueTask(api, { entityUid, entityKind: "Account", entityName: "acc", accountUid });
  const { body } = await api.must("POST", "/v1/worker/tasks", { key: agent, body: anyWork as never });
  const { tasks } = body as unknown as { tasks: (Held & { entityUid: string })[] };
  const found = tasks.find((task) => task.entityUid === entityUid);
  if (found === undefined) throw new Error("the task was not leased");
  return { uid: found.uid, leaseToken: found.leaseToken };
}

const open = (held: Held, key = agent) => api.call("POST", "/v1/worker/credentials", { key, body: { ...held } });
const keys = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI-first" };

test("M020 M072 the holder of a task's lease gets the current credentials of its account, which is audited", async () => {
  const uid = await createAccount(api, { aws: keys }, "held");
  const held = await lease(uid, uid);
  expect((await open(held)).body).toMatchObject({ spec: { aws: keys } });
  const secretAccessKey = "wJalrXUtnFEMI-second";
  await api.must("PATCH", "/v1/projects/default/accounts/held", { body: { spec: { aws: { secretAccessKey } } } });
  expect((await open(held)).body).toMatchObject({ spec: { aws: { ...keys, secretAccessKey } } });
  const { rows } = await api.pool.query({
    text: "select actor, verb, outcome, name from audit where kind = 'Account' and verb = 'exchange' and entity_uid = $1",
    values: [uid],
  });
  const record = { actor: "agent:ada", verb: "exchange", outcome: "allowed", name: "held" };
  expect(rows).toEqual([record, record]);
});

test("M072 only a caller with a lease on a task that uses the account gets its credentials", async () => {
  const uid = await createAccount(api, { aws: keys });
  const other = await createAccount(api, { simulated: true, aws: {} });
  const held = await lease(uid, uid);
  const nothing = createUid(systemClock.now());
  const tries = [
    await open({ ...held, leaseToken: nothing }),
    await open({ ...held, uid: nothing }),
    await open(held, stranger),
    await open(await lease(other, null)),
  ];
  for (const { status, text } of tries) {
    expect(status).toBe(409);
    expect(text).not.toContain("wJalr");
  }
  expect((await open(held, api.adminKey)).status).toBe(403);
  await api.must("POST", "/v1/worker/finish", { key: agent, body: { ...held, outcome: "done" } });
  expect((await open(held)).body.code).toBe("api.lease_lost");
});
