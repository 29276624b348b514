import { reapTasks } from "@cloudwright/tasks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../../testing/test-api.ts";
import type { TestAnswer } from "../../testing/http-call.ts";
import { createStack, md5, renderTfState, startRun, type StateRun } from "../../testing/state-run.ts";
import { joinTestAgent } from "../../testing/test-agent.ts";

let api: TestApi;
let agent: string;
let other: string;

beforeAll(async () => {
  api = await startTestApi();
  agent = await (await joinTestAgent(api, "system", "ada")).sign();
  other = await (await joinTestAgent(api, "system", "bob")).sign();
});
afterAll(() => api.close());

const start = async (key = agent): Promise<StateRun> => startRun(api, key, await createStack(api));
const seen = ({ status, body }: TestAnswer): [number, string] => [status, body.code ?? ""];

async function query(text: string, ...values: unknown[]): Promise<object[]> {
  return (await api.pool.query<object>({ text, values })).rows;
}

const listVersions = (uid: string): Promise<object[]> =>
  query("select version, serial, deleted, actor, task_uid from state_version where entity_uid = $1 order by version", uid);
const listEvents = (uid: string): Promise<object[]> =>
  query("select reason from event where entity_uid = $1 and reason like 'State%' order by uid", uid);

describe("M072 a state", () => {
  test("is missing until it is written, and then read unchanged", async () => {
    const run = await start();
    expect((await run.send("GET")).status).toBe(204);
    expect((await run.lock("a")).status).toBe(200);
    const content = renderTfState(1, { one: { id: "x", text: "ünï" } });
    expect((await run.post(content, "a")).status).toBe(200);
    expect((await run.unlock("a")).status).toBe(200);
    const { status, text, headers } = await run.send("GET");
    expect([status, text, headers["content-md5"]]).toEqual([200, content.toString("utf8"), md5(content)]);
    expect(await listVersions(run.entityUid)).toEqual([
      { version: 1, serial: 1, deleted: false, actor: "agent:ada", task_uid: run.taskUid },
    ]);
  });

  test("keeps all its versions, even after a deletion, and may then start another lineage", async () => {
    const run = await start();
    await run.lock("a");
    for (const serial of [1, 2, 5]) expect((await run.post(renderTfState(serial), "a")).status).toBe(200);
    expect((await run.send("DELETE")).status).toBe(200);
    expect((await run.send("GET")).status).toBe(204);
    expect((await run.send("DELETE")).status).toBe(200);
    expect((await run.post(renderTfState(1, {}, "line-2"), "a")).status).toBe(200);
    const versions = await listVersions(run.entityUid);
    expect(versions.map((row) => [(row as { serial: number }).serial, (row as { deleted: boolean }).deleted])).toEqual([
      [1, false],
      [2, false],
      [5, false],
      [5, true],
      [1, false],
    ]);
  });

  test("X031 is deleted only by the run that holds its lock", async () => {
    const first = await start();
    await first.lock("a");
    await first.post(renderTfState(1), "a");
    await first.unlock("a");
    expect(seen(await first.send("DELETE"))).toEqual([409, "api.state_not_held"]);
    await first.lock("left behind");
    await first.finish();
    const second = await startRun(api, agent, first.entityUid);
    expect(seen(await second.send("DELETE"))).toEqual([409, "api.state_not_held"]);
    expect((await second.send("GET")).status).toBe(200);
    await second.lock("b");
    expect((await second.send("DELETE")).status).toBe(200);
    expect((await second.send("GET")).status).toBe(204);
  });

  test("is stored encrypted: the database contains none of it in clear text", async () => {
    const run = await start();
    await run.lock("a");
    const secret = "canary-0b5e1f2c7a";
    await run.post(renderTfState(1, { one: { password: secret } }), "a");
    const [row] = (await query("select content, sealed from state_version where entity_uid = $1", run.entityUid)) as [
      { content: Buffer; sealed: Buffer },
    ];
    for (const part of [row.content, row.sealed]) expect(part.includes(secret)).toBe(false);
    expect((await run.send("GET")).text).toContain(secret);
  });

  test("of 20 MB is stored as well", async () => {
    const run = await start();
    await run.lock("a");
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`r${n}`, { id: `${n}`, text: "x".repeat(800) }]));
    const content = renderTfState(1, many);
    expect(content.length).toBeGreaterThan(20_000_000);
    expect((await run.post(content, "a")).status).toBe(200);
    expect((await run.send("GET")).headers["content-md5"]).toBe(md5(content));
    expect(md5(Buffer.from((await run.send("GET")).text))).toBe(md5(content));
  });

  test("that is larger than allowed is rejected", async () => {
    const small = await startTestApi({ maxStateBytes: 10_000 });
    try {
      const key = await (await joinTestAgent(small, "system", "small")).sign();
      const run = await startRun(small, key, await createStack(small));
      await run.lock("a");
      const large = renderTfState(1, { one: { text: "x".repeat(10_000) } });
      expect(seen(await run.post(large, "a"))).toEqual([413, "api.body_too_large"]);
      expect((await run.post(renderTfState(1), "a")).status).toBe(200);
    } finally {
      await small.close();
    }
  });
});

describe("X031 requests that would corrupt a state are rejected:", () => {
  test("a write without the lock, with another id or without an id", async () => {
    const run = await start();
    expect(seen(await run.post(renderTfState(1), "a"))).toEqual([409, "api.state_not_held"]);
    await run.lock("a");
    expect(seen(await run.post(renderTfState(1), "b"))).toEqual([409, "api.state_not_held"]);
    expect(seen(await run.send("POST", { body: renderTfState(1) }))).toEqual([409, "api.state_not_held"]);
    expect(await listVersions(run.entityUid)).toEqual([]);
  });

  test("a serial that does not increase, another lineage", async () => {
    const run = await start();
    await run.lock("a");
    await run.post(renderTfState(4), "a");
    expect(seen(await run.post(renderTfState(4, { one: {} }), "a"))).toEqual([409, "api.state_stale"]);
    expect(seen(await run.post(renderTfState(3), "a"))).toEqual([409, "api.state_stale"]);
    expect(seen(await run.post(renderTfState(5, {}, "line-2"), "a"))).toEqual([409, "api.state_stale"]);
    expect(await listVersions(run.entityUid)).toHaveLength(1);
  });

  test("a wrong MD5", async () => {
    const run = await start();
    await run.lock("a");
    const headers = { "content-md5": md5(Buffer.from("else")) };
    expect(seen(await run.post(renderTfState(1), "a", headers))).toEqual([400, "api.state_damaged"]);
    expect(await listVersions(run.entityUid)).toEqual([]);
  });

  test.each([
    ["nothing", ""],
    ["half a state", '{"serial": 1, "lineage":'],
    ["a list", "[]"],
    ["no serial", '{"lineage": "a"}'],
    ["a serial that is not a count", '{"serial": 1.5, "lineage": "a"}'],
    ["a serial that is too large", '{"serial": 4294967296, "lineage": "a"}'],
    ["no lineage", '{"serial": 1}'],
    ["bytes that are not text", Buffer.from([0xff, 0xfe, 0x7b])],
  ])("%s", async (_, body) => {
    const run = await start();
    await run.lock("a");
    expect(seen(await run.post(Buffer.from(body), "a"))).toEqual([400, "api.state_malformed"]);
    expect(await listVersions(run.entityUid)).toEqual([]);
  });

  test("except a repeated write whose response was lost, which counts as done", async () => {
    const run = await start();
    await run.lock("a");
    for (let tries = 0; tries < 3; tries += 1) expect((await run.post(renderTfState(1), "a")).status).toBe(200);
    expect(await listVersions(run.entityUid)).toHaveLength(1);
  });

  test("all but one of several concurrent writes with the same serial", async () => {
    const run = await start();
    await run.lock("a");
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => run.post(renderTfState(1, { [`r${n}`]: {} }), "a")));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(7).fill(409)]);
    expect(await listVersions(run.entityUid)).toHaveLength(1);
  });
});

describe("X030 a lock", () => {
  test("has one holder, and a second locker learns who it is, in Terraform's own format", async () => {
    const run = await start();
    expect((await run.lock("first")).status).toBe(200);
    const { status, body, headers } = await run.lock("second");
    expect([status, headers["content-type"]]).toEqual([423, "application/problem+json; charset=utf-8"]);
    expect(body).toMatchObject({
      code: "api.state_locked",
      ID: "first",
      Who: "root@host",
      Operation: "OperationTypeApply",
      Created: "2026-01-01T00:00:00.123456789Z",
    });
    expect((await run.lock("first")).status).toBe(200);
  });

  test("is given to exactly one of several concurrent requests", async () => {
    const run = await start();
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => run.lock(`${round}-${n}`)));
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(9).fill(423)]);
      const holder = answers.findIndex(({ status }) => status === 200);
      expect((await run.unlock(`${round}-${holder}`)).status).toBe(200);
    }
  });

  test("is released by its id only, and releasing it twice does no harm", async () => {
    const run = await start();
    await run.lock("a");
    expect(seen(await run.unlock("b"))).toEqual([409, "api.state_not_held"]);
    expect((await run.lock("b")).status).toBe(423);
    expect((await run.unlock("a")).status).toBe(200);
    expect((await run.unlock("a")).status).toBe(200);
    expect((await run.lock("b")).status).toBe(200);
  });

  test("is not released by a run that does not name it, as force-unlock does", async () => {
    const run = await start();
    await run.lock("a");
    expect(seen(await run.send("UNLOCK"))).toEqual([403, "api.force_unlock"]);
    expect(seen(await run.send("UNLOCK", { headers: { "transfer-encoding": "chunked" } }))).toEqual([403, "api.force_unlock"]);
    expect((await run.lock("b")).status).toBe(423);
  });

  test.each([
    ["no JSON", "lock"],
    ["no id", "{}"],
    ["an id that is not a word", '{"ID":"a b"}'],
  ])("is not acquired with %s", async (_, body) => {
    const run = await start();
    expect(seen(await run.send("LOCK", { body: Buffer.from(body) }))).toEqual([400, "api.state_malformed"]);
  });

  test("whose holder's task has ended is taken over by the next run, once, with an event", async () => {
    const first = await start();
    await first.lock("orphan");
    await first.post(renderTfState(1), "orphan");
    await first.finish();
    const second = await startRun(api, other, first.entityUid);
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => second.lock(`heir-${n}`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await listEvents(first.entityUid)).toEqual([{ reason: "StateLockReleased" }]);
    const holder = answers.findIndex(({ status }) => status === 200);
    expect((await second.post(renderTfState(2), `heir-${holder}`)).status).toBe(200);
  });

  test("of a crashed holder is taken over after its lease expired, and its later requests are rejected", async () => {
    const crashed = await start();
    await crashed.lock("orphan");
    await query("update task_line set leased_until = now() - interval '1 minute' where entity_uid = $1", crashed.entityUid);
    await reapTasks({ database: api.pool, random: () => 0 }, 0);
    await query("update task_line set delayed_until = now() where entity_uid = $1", crashed.entityUid);
    const next = await startRun(api, other, crashed.entityUid, { task: false });
    expect(next.taskUid).toBe(crashed.taskUid);
    expect((await next.lock("heir")).status).toBe(200);
    expect(await listEvents(crashed.entityUid)).toEqual([{ reason: "StateLockReleased" }]);
    for (const answer of [
      await crashed.post(renderTfState(9), "orphan"),
      await crashed.post(renderTfState(9), "heir"),
      await crashed.unlock("heir"),
      await crashed.send("GET"),
      await crashed.lock("again"),
      await crashed.send("DELETE"),
    ])
      expect(seen(answer)).toEqual([401, "api.run_ended"]);
    expect((await next.post(renderTfState(1), "heir")).status).toBe(200);
  });

  test("with an id from an earlier lease is not released by the new run", async () => {
    const first = await start();
    await first.lock("a");
    await first.finish();
    const second = await startRun(api, agent, first.entityUid);
    expect(seen(await second.unlock("a"))).toEqual([409, "api.state_not_held"]);
    expect(seen(await second.post(renderTfState(1), "a"))).toEqual([409, "api.state_not_held"]);
  });
});

describe("M064 a run's credential", () => {
  test("is valid while its lease is renewed, however long that is", async () => {
    const run = await start();
    const body = { tasks: [{ uid: run.taskUid, leaseToken: run.leaseToken }] };
    await query("update task_line set leased_until = now() - interval '1 second' where entity_uid = $1", run.entityUid);
    expect(seen(await run.send("GET"))).toEqual([503, "api.lease_lapsed"]);
    await api.must("POST", "/v1/worker/heartbeat", { key: agent, body });
    expect((await run.send("GET")).status).toBe(204);
  });

  test("expires with the lease", async () => {
    for (const outcome of ["done", "failed", "cancelled", "returned"]) {
      const run = await start();
      expect((await run.send("GET")).status).toBe(204);
      await run.finish(outcome);
      expect(seen(await run.send("GET"))).toEqual([401, "api.run_ended"]);
    }
  });

  test("is valid for its own state only, whatever the tenant", async () => {
    await api.createProject("theirs");
    const ours = await start();
    const theirs = await startRun(api, agent, await createStack(api, "theirs"), { project: "theirs" });
    const headers = { authorization: `Basic ${Buffer.from(`${theirs.username}:${theirs.password}`).toString("base64")}` };
    for (const method of ["GET", "POST", "DELETE", "LOCK", "UNLOCK"]) {
      const strange = await ours.send(method, { headers });
      const unknown = await ours.send(method, { headers: { authorization: `Basic ${Buffer.from("a:b").toString("base64")}` } });
      expect([method, ...seen(strange), strange.body.detail]).toEqual([method, ...seen(unknown), unknown.body.detail]);
      expect(seen(strange)).toEqual([401, "api.run_ended"]);
      expect(strange.headers["www-authenticate"]).toContain("Basic");
    }
  });

  test("is required on every request; an API key is not accepted", async () => {
    const run = await start();
    for (const authorization of [
      "",
      "Basic",
      "Basic ?",
      `Bearer ${api.adminKey}`,
      `Basic ${Buffer.from(`x:${run.password}`).toString("base64")}`,
    ])
      expect(seen(await run.send("GET", { headers: { authorization } }))).toEqual([401, "api.run_ended"]);
    expect((await api.send({ method: "GET", path: run.path })).status).toBe(401);
    expect((await api.call("GET", "/v1/states/nonsense")).status).toBe(401);
  });

  test("is given only to the holder of the task", async () => {
    const run = await start();
    const held = { uid: run.taskUid, leaseToken: run.leaseToken };
    expect(seen(await api.call("POST", "/v1/worker/state", { key: other, body: held }))).toEqual([409, "api.lease_lost"]);
    const wrong = { ...held, leaseToken: run.taskUid };
    expect(seen(await api.call("POST", "/v1/worker/state", { key: agent, body: wrong }))).toEqual([409, "api.lease_lost"]);
    expect(seen(await api.call("POST", "/v1/worker/state", { body: held }))).toEqual([403, "api.denied"]);
    await run.finish();
    expect(seen(await api.call("POST", "/v1/worker/state", { key: agent, body: held }))).toEqual([409, "api.lease_lost"]);
  });

  test("is not stored in clear text, and those of earlier leases are forgotten", async () => {
    const run = await start();
    await run.finish();
    const next = await startRun(api, agent, run.entityUid);
    const rows = await query("select c::text as row from state_credential c where entity_uid = $1", run.entityUid);
    expect(rows).toHaveLength(1);
    for (const { password } of [run, next]) expect(JSON.stringify(rows)).not.toContain(password);
  });

  test("that is rejected is audited", async () => {
    // Audit records are rate-limited per source address, so this uses a new replica with unused limits.
    const answer = await (await api.startReplica()).send({ method: "GET", path: "/v1/states/nonsense" });
    const rows = await query("select verb, outcome, code from audit where request_id = $1", answer.headers["x-request-id"]);
    expect(rows).toEqual([{ verb: "authenticate", outcome: "denied", code: "api.run_ended" }]);
  });
});

test("M072 other HTTP methods are rejected, and a replica that serves only users rejects runs", async () => {
  const run = await start();
  expect(await run.send("PUT")).toMatchObject({ status: 405, headers: { allow: expect.stringContaining("UNLOCK") as string } });
  const users = await startTestApi({ served: new Set(["users"]) });
  try {
    expect(await users.send({ method: "LOCK", path: run.path })).toMatchObject({ status: 503, body: { code: "api.not_served" } });
  } finally {
    await users.close();
  }
});
