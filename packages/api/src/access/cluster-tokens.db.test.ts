import { createLogger, createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { seedBuiltCluster } from "../testing/seed-built-cluster.ts";
import { anyWork, joinTestAgent } from "../testing/test-agent.ts";
import { enqueueTask } from "../testing/enqueue-task.ts";

const canary = "canary-9b1e7c44";
const lines: string[] = [];
const path = "/v1/projects/default";
let api: TestApi;
let agent: string;
let viewer: Person;
let editor: Person;
let other: Person;
let made = 0;
/** Name of the cluster under test. */
let name: string;
let uid: string;

beforeAll(async () => {
  const log = createLogger({ level: "trace", name: "test", stream: { write: (line) => void lines.push(line) } });
  api = await startTestApi({ log, accessWaitMs: 15_000 });
  agent = await (await joinTestAgent(api, "system", "ada")).sign();
  viewer = await api.createPerson("vera", [{ project: "default", role: "viewer" }]);
  editor = await api.createPerson("edda", [{ project: "default", role: "editor" }]);
  other = await api.createPerson("otto", [{ project: "default", role: "editor" }]);
});
afterAll(() => api.close());

beforeEach(async () => {
  made += 1;
  name = `real-${made}`;
  const post = async (what: string, spec: object): Promise<string> =>
    (await api.must("POST", `${path}/${what}`, { body: { metadata: { name }, spec } as never })).body.metadata.uid ?? "";
  await post("accounts", { aws: {} });
  await post("networks", { account: name, region: "eu-west-1" });
  uid = await post("clusters", { network: name });
  await seedBuiltCluster(api, uid, `${name}-1`);
});

interface Held {
  readonly uid: string;
  readonly leaseToken: string;
  readonly type: string;
  readonly payload: { readonly access: { readonly role: string; readonly ttlSeconds: number }; readonly [part: string]: unknown };
}

const ask = (role = "", key = editor.key, more: object = {}, cluster = name): Promise<TestAnswer> =>
  api.call("POST", `${path}/clusters/${cluster}:kubeconfig`, { key, body: { role, ...more } });
const onlyTokens = { ...anyWork, types: ["cluster.token"] };

async function lease(): Promise<Held[]> {
  const { body } = await api.must("POST", "/v1/worker/tasks", { key: agent, body: onlyTokens as never });
  return (body as unknown as { tasks: Held[] }).tasks;
}

/** Leases the next task, as an agent does. */
async function take(): Promise<Held> {
  const body = { ...onlyTokens, longLane: 0, shortLane: 1, waitSeconds: 10 };
  const { tasks } = (await api.must("POST", "/v1/worker/tasks", { key: agent, body: body as never })).body as unknown as {
    tasks: Held[];
  };
  if (tasks[0] === undefined) throw new Error("there is no task");
  return tasks[0];
}

const keep = ({ uid: taskUid, leaseToken }: Pick<Held, "uid" | "leaseToken">, token: string, expiresAt: string, key = agent) =>
  api.call("POST", "/v1/worker/token", { key, body: { uid: taskUid, leaseToken, token, expiresAt } });
const finish = ({ uid: taskUid, leaseToken }: Held, more: object = { outcome: "done" }) =>
  api.must("POST", "/v1/worker/finish", { key: agent, body: { uid: taskUid, leaseToken, ...more } });
const inAnHour = (): string => new Date(Math.floor(systemClock.now() / 1000) * 1000 + 3_600_000).toISOString();

/** Stores a token for a task, as an agent does. */
async function give(held: Held, token: string, expiresAt = inAnHour()): Promise<void> {
  expect((await keep(held, token, expiresAt)).status).toBe(200);
  await finish(held);
}

function readAnswer({ status, body }: TestAnswer): { status: number; token: string; context: string; expiresAt: string } {
  const { kubeconfig, expiresAt } = body as unknown as { kubeconfig: string; expiresAt: string };
  const parsed = JSON.parse(kubeconfig) as { users: { user: { token: string } }[]; "current-context": string };
  return { status, expiresAt, context: parsed["current-context"], token: parsed.users[0]?.user.token ?? "" };
}

const query = async (text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
  (await api.pool.query<Record<string, unknown>>({ text, values })).rows;

describe("M183 a short-lived kubeconfig of a real cluster", () => {
  test("is obtained once by an agent for all callers with the same request, and each response is audited", async () => {
    const asked = [ask(), ask("admin", other.key), ask("admin"), ask("", viewer.key), ask("viewer")];
    const [first, second] = [await take(), await take()];
    expect(await lease()).toEqual([]);
    const [admin, look] = first.payload.access.role === "admin" ? [first, second] : [second, first];
    expect(look.payload.access).toEqual({ role: "viewer", ttlSeconds: 3600 });
    expect(admin.payload).toMatchObject({
      access: { role: "admin", ttlSeconds: 3600 },
      entity: { kind: "Cluster", uid, name },
      account: { name, cloud: "aws", simulated: false },
      outputs: { cluster_name: `${name}-1`, endpoint: "https://eks", certificate_authority: "cGVt" },
    });
    const expiresAt = inAnHour();
    await give(admin, "for-admins", expiresAt);
    await give(look, "for-viewers", expiresAt);
    const answers = (await Promise.all(asked)).map(readAnswer);
    const [forAdmins, forViewers] = [
      { status: 200, token: "for-admins", context: name, expiresAt },
      { status: 200, token: "for-viewers", context: `${name}-viewer`, expiresAt },
    ];
    expect(answers).toEqual([forAdmins, forAdmins, forAdmins, forViewers, forViewers]);
    expect(readAnswer(await ask())).toEqual(forAdmins);
    expect(await lease()).toEqual([]);
    const records = await query("select actor from audit where entity_uid = $1 and verb = 'kubeconfig' order by actor", uid);
    expect(records.map(({ actor }) => actor)).toEqual(["edda", "edda", "edda", "edda", "otto", "vera"].toSorted());
  });

  test("grants a role that the caller may use", async () => {
    expect(await ask("admin", viewer.key)).toMatchObject({ status: 403, body: { code: "api.denied" } });
    const stranger = await api.createPerson("stan");
    expect(await ask("viewer", stranger.key)).toMatchObject({ status: 404 });
    expect(await lease()).toEqual([]);
    expect(await query("select from cluster_token where cluster_uid = $1", uid)).toEqual([]);
  });

  test("is obtained again after half of its lifetime, for another lifetime, and when the cluster's endpoint changes", async () => {
    const next = async (token: string, more: object = {}): Promise<void> => {
      const answer = ask("", editor.key, more);
      await give(await take(), token);
      expect(readAnswer(await answer).token).toBe(token);
    };
    await next("first");
    await next("for ten minutes", { ttlSeconds: 600 });
    expect(readAnswer(await ask()).token).toBe("first");
    const age =
      "update cluster_token set made_at = made_at - interval '61 minutes' where cluster_uid = $1 and ttl_seconds = 3600";
    await query(age, uid);
    await next("second");
    await seedBuiltCluster(api, uid, `${name}-2`, { endpoint: "https://elsewhere" });
    await next("third");
    expect(await query("select count(*)::int as n from cluster_token where cluster_uid = $1", uid)).toEqual([{ n: 2 }]);
  });

  test("does not wait for other work on the cluster", async () => {
    await enqueueTask(api, { entityUid: uid, entityKind: "Cluster", entityName: name, type: "cluster.apply" });
    const answer = ask();
    await give(await take(), "meanwhile");
    expect(readAnswer(await answer).token).toBe("meanwhile");
  });

  test("includes the reason if the cluster issued no token, and is requested again by the next call", async () => {
    const answer = ask();
    const fault = { code: "kube.denied", message: "get Namespace: Unauthorized", permanent: true };
    await finish(await take(), { outcome: "failed", fault });
    expect(await answer).toMatchObject({
      status: 409,
      body: { code: "api.access_failed", detail: expect.stringContaining("Unauthorized (kube.denied)") },
    });
    const again = ask();
    await finish(await take());
    expect(await again).toMatchObject({ status: 409, body: { code: "api.access_failed" } });
    const third = ask();
    await give(await take(), "at last");
    expect(readAnswer(await third).token).toBe("at last");
  });

  test("is not available for a cluster that is being deleted, and is deleted with it", async () => {
    const answer = ask();
    await give(await take(), "gone soon");
    await answer;
    await api.must("DELETE", `${path}/clusters/${name}`);
    expect(await ask()).toMatchObject({ status: 409, body: { code: "api.cluster_not_ready" } });
    await query("delete from entity where uid = $1", uid);
    expect(await query("select from cluster_token where cluster_uid = $1", uid)).toEqual([]);
  });
});

test("M183 without an agent, the response says so, and the request is completed once an agent connects", async () => {
  const lonely = await startTestApi({ accessWaitMs: 300 });
  const make = async (what: string, spec: object): Promise<string> =>
    (await lonely.must("POST", `${path}/${what}`, { body: { metadata: { name }, spec } as never })).body.metadata.uid ?? "";
  await make("accounts", { aws: {} });
  await make("networks", { account: name, region: "eu-west-1" });
  await seedBuiltCluster(lonely, await make("clusters", { network: name }), `${name}-1`);
  const call = (): Promise<TestAnswer> => lonely.call("POST", `${path}/clusters/${name}:kubeconfig`, { body: {} });
  const late = { status: 503, body: { code: "api.access_not_in_time" } };
  expect(await call()).toMatchObject({
    ...late,
    body: { ...late.body, detail: expect.stringContaining("no agent is connected") },
  });
  expect(await call()).toMatchObject(late);
  const key = await (await joinTestAgent(lonely, "system", "ada")).sign();
  const { body } = await lonely.must("POST", "/v1/worker/tasks", { key, body: onlyTokens as never });
  const { tasks } = body as unknown as { tasks: Held[] };
  expect(tasks).toHaveLength(1);
  expect(await call()).toMatchObject({ ...late, body: { detail: expect.stringContaining("an agent is still requesting it") } });
  const [held] = tasks as [Held];
  const given = { uid: held.uid, leaseToken: held.leaseToken, token: "late", expiresAt: inAnHour() };
  await lonely.must("POST", "/v1/worker/token", { key, body: given });
  expect(readAnswer(await call()).token).toBe("late");
  await lonely.close();
});

describe("M182 the token in it", () => {
  test("is accepted from the agent that holds the task, and from nobody else", async () => {
    const answer = ask();
    const held = await take();
    const stranger = await (await joinTestAgent(api, "system", `eve-${made}`)).sign();
    const nothing = createUid(systemClock.now());
    const tries = [
      await keep(held, canary, inAnHour(), stranger),
      await keep({ ...held, leaseToken: nothing }, canary, inAnHour()),
      await keep({ ...held, uid: nothing }, canary, inAnHour()),
    ];
    for (const { status, body } of tries) expect([status, body.code]).toEqual([409, "api.lease_lost"]);
    expect((await keep(held, canary, inAnHour(), editor.key)).status).toBe(403);
    expect((await keep(held, canary, "soon")).status).toBe(400);
    await give(held, "the agent's");
    expect((await keep(held, canary, inAnHour())).body.code).toBe("api.lease_lost");
    expect(readAnswer(await answer).token).toBe("the agent's");
  });

  test("is not accepted for a task that did not request one", async () => {
    await enqueueTask(api, { type: "cluster.token", lane: "short" });
    expect((await keep(await take(), canary, inAnHour())).body.code).toBe("api.lease_lost");
  });

  test("does not appear in any table or log, and only in responses to callers who may have it", async () => {
    const answer = ask();
    const held = await take();
    await keep(held, canary, inAnHour());
    await finish(held, { outcome: "done", outputs: { expires_at: inAnHour() } });
    expect(readAnswer(await answer).token).toBe(canary);
    const endpoints = [
      "tasks",
      `tasks/${held.uid}`,
      `tasks/${held.uid}/logs`,
      "events",
      "auditrecords",
      "operations",
      "clusters",
      "runs",
    ];
    const told = await Promise.all(endpoints.map((endpoint) => api.call("GET", `${path}/${endpoint}`)));
    expect(told.map(({ text }) => text).join("\n")).not.toContain(canary);
    expect(lines.join("\n")).not.toContain(canary);
    const tables = await query("select tablename as name from pg_tables where schemaname = 'public'");
    const hex = Buffer.from(canary).toString("hex");
    for (const { name: table } of tables) {
      const found = await query(
        `select 1 from "${String(table)}" t where t::text like $1 or t::text like $2`,
        `%${canary}%`,
        `%${hex}%`,
      );
      expect([table, found.length]).toEqual([table, 0]);
    }
  });
});
