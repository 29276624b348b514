import { randomBytes } from "node:crypto";
import { getMethod, type JsonObject } from "@cloudwright/contract";
import { Secret } from "@cloudwright/platform";
import { findStateVersion, rewrapSecrets, type KeyRing } from "@cloudwright/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import { callConnect } from "../testing/connect-call.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { createStack, renderTfState, startRun, type StateRun } from "../testing/state-run.ts";
import { joinTestAgent } from "../testing/test-agent.ts";
import { openContent } from "./state-content.ts";
import { clearWakes, readWakes } from "../testing/work.ts";

const states = "/v1/projects/default/states";
let api: TestApi;
let agent: string;
let viewer: Person;

beforeAll(async () => {
  api = await startTestApi();
  agent = await (await joinTestAgent(api, "system", "ada")).sign();
  viewer = await api.createPerson("vera", [{ project: "default", role: "viewer" }]);
});
afterAll(() => api.close());

const seen = ({ status, body }: TestAnswer): [number, string] => [status, body.code ?? ""];

async function query(text: string, ...values: unknown[]): Promise<object[]> {
  return (await api.pool.query<object>({ text, values })).rows;
}

async function read(path: string, key = api.adminKey): Promise<JsonObject> {
  return (await api.must("GET", states + path, { key })).body as unknown as JsonObject;
}

/** Starts a run that writes these states and then keeps the lock "a". */
async function writeAll(...contents: Buffer[]): Promise<StateRun> {
  const run = await startRun(api, agent, await createStack(api));
  await run.lock("a");
  for (const content of contents) expect((await run.post(content, "a")).status).toBe(200);
  return run;
}

const secret = "canary-6d1c";
const first = renderTfState(1, { kept: { id: "1" }, gone: { id: "2" }, turned: { id: "3", tags: { a: "b" }, token: secret } });
const second = renderTfState(3, {
  kept: { id: "1" },
  turned: { id: "3", tags: { a: "c" }, token: `${secret}-2` },
  fresh: { id: "4" },
});

describe("M072 users", () => {
  test("see a state, its lock and its versions, without their contents", async () => {
    const run = await writeAll(first, second);
    const listed = (await read("", viewer.key))["items"] as JsonObject[];
    const state = listed.find(({ entityUid }) => entityUid === run.entityUid);
    expect(state).toEqual(await read(`/${run.entityUid}`, viewer.key));
    expect(state).toMatchObject({
      entityKind: "Account",
      project: "default",
      newest: {
        version: 2,
        serial: 3,
        lineage: "line-1",
        resources: 3,
        sizeBytes: second.length,
        task: run.taskUid,
        actor: "agent:ada",
      },
      lock: { id: "a", who: "root@host", operation: "OperationTypeApply", task: run.taskUid, alive: true },
    });
    const versions = await read(`/${run.entityUid}/versions`, viewer.key);
    expect((versions["items"] as JsonObject[]).map(({ version }) => version)).toEqual([2, 1]);
    expect(JSON.stringify([state, versions])).not.toContain(secret);
    await run.finish();
    expect(await read(`/${run.entityUid}`)).toMatchObject({ lock: { alive: false } });
  });

  test("list states and versions page by page", async () => {
    const run = await writeAll(renderTfState(1), renderTfState(2), renderTfState(3));
    const walk = async (path: string): Promise<JsonObject[]> => {
      const items: JsonObject[] = [];
      let token = "";
      do {
        const page = await read(`${path}?pageSize=2&pageToken=${token}`);
        items.push(...(page["items"] as JsonObject[]));
        expect((page["items"] as JsonObject[]).length).toBeLessThanOrEqual(2);
        token = page["nextPageToken"] as string;
      } while (token !== "");
      return items;
    };
    expect((await walk(`/${run.entityUid}/versions`)).map(({ version }) => version)).toEqual([3, 2, 1]);
    const [{ count } = { count: 0 }] = (await query("select count(*)::int as count from state")) as { count: number }[];
    expect(new Set((await walk("")).map(({ entityUid }) => entityUid)).size).toBe(count);
    expect(seen(await api.call("GET", `${states}?pageToken=bm9ib2R5`))).toEqual([400, "api.bad_page_token"]);
  });

  test("with the admin role download a version unchanged, which is audited", async () => {
    const run = await writeAll(first, second);
    const path = `${states}/${run.entityUid}/content`;
    expect(seen(await api.call("GET", path, { key: viewer.key }))).toEqual([403, "api.denied"]);
    const newest = await api.must("GET", path);
    expect(newest.body).toMatchObject({ version: { version: 2 }, content: second.toString("utf8") });
    expect((await api.must("GET", `${path}?version=1`)).body).toMatchObject({ content: first.toString("utf8") });
    expect(await query("select verb, kind, outcome from audit where request_id = $1", newest.headers["x-request-id"])).toEqual([
      { verb: "get", kind: "StateContent", outcome: "allowed" },
    ]);
    expect(seen(await api.call("GET", `${path}?version=7`))).toEqual([404, "api.not_found"]);
    for (const version of ["9999999999", "-1", "1.5", "x"])
      expect([version, (await api.call("GET", `${path}?version=${version}`)).status]).toEqual([version, 400]);
  });

  test("see the differences between versions by name, never a value", async () => {
    const run = await writeAll(first, second);
    const { text } = await api.must("GET", `${states}/${run.entityUid}/diff`, { key: viewer.key });
    expect(JSON.parse(text)).toMatchObject({
      from: { version: 1 },
      to: { version: 2 },
      resources: [
        { address: "terraform_data.fresh", change: "added", attributes: ["id"] },
        { address: "terraform_data.gone", change: "removed", attributes: ["id"] },
        { address: "terraform_data.turned", change: "changed", attributes: ["tags", "token"] },
      ],
      outputs: [],
    });
    expect(text).not.toContain(secret);
    const back = await read(`/${run.entityUid}/diff?from=2&to=1`, viewer.key);
    expect((back["resources"] as JsonObject[]).map(({ change }) => change)).toEqual(["removed", "added", "changed"]);
    await run.send("DELETE");
    const deleted = await read(`/${run.entityUid}/diff`, viewer.key);
    expect((deleted["resources"] as JsonObject[]).map(({ change }) => change)).toEqual(["removed", "removed", "removed"]);
  });

  test("with a role in another environment cannot see the state", async () => {
    const run = await writeAll(first);
    await api.call("POST", "/v1/projects/default/environments", { body: { metadata: { name: "prod" } } });
    const eve = await api.createPerson(`eve-${run.entityUid.slice(-6)}`, [
      { project: "default", role: "admin", environment: "prod" },
    ]);
    expect(seen(await api.call("GET", `${states}/${run.entityUid}/content`, { key: eve.key }))).toEqual([404, "api.not_found"]);
    expect((await read("", eve.key))["items"]).toEqual([]);
  });

  test("find the state of a deleted entity", async () => {
    const run = await writeAll(first);
    await run.finish();
    await query("delete from idempotency where entity_uid = $1", run.entityUid);
    await query("delete from entity where uid = $1", run.entityUid);
    expect(await read(`/${run.entityUid}`)).toMatchObject({ newest: { version: 1 }, entityKind: "Account" });
  });
});

describe("M072 a rollback", () => {
  const rollback = (run: StateRun, version: number, key = api.adminKey): Promise<TestAnswer> =>
    api.call("POST", `${states}/${run.entityUid}:rollback`, { key, body: { version } });

  test("writes the earlier version again with a higher serial, and a run continues from there", async () => {
    const run = await writeAll(first, second);
    await run.unlock("a");
    await clearWakes(api);
    const answer = await rollback(run, 1);
    expect((await readWakes(api)).get(run.entityUid)).toBe(1);
    expect(answer).toMatchObject({ status: 200, body: { newest: { version: 3, serial: 4, rolledBackTo: 1, actor: "admin" } } });
    const restored = JSON.parse((await run.send("GET")).text) as object;
    expect(restored).toEqual({ ...(JSON.parse(first.toString("utf8")) as object), serial: 4 });
    await run.lock("b");
    expect(seen(await run.post(renderTfState(4), "b"))).toEqual([409, "api.state_stale"]);
    expect((await run.post(renderTfState(5), "b")).status).toBe(200);
    expect(await query("select verb, outcome from audit where request_id = $1", answer.headers["x-request-id"])).toEqual([
      { verb: "rollback", outcome: "allowed" },
    ]);
    expect(
      await query("select reason from event where entity_uid = $1 and reason = 'StateRolledBack'", run.entityUid),
    ).toHaveLength(1);
  });

  test("keeps the source text of numbers beyond the precision of a double", async () => {
    const exact = Buffer.from(
      renderTfState(1, { one: { id: 0 } })
        .toString("utf8")
        .replace('"id": 0', '"id": 12345678901234567890.10'),
    );
    const run = await writeAll(exact);
    await run.unlock("a");
    await rollback(run, 1);
    expect((await run.send("GET")).text).toContain('"id": 12345678901234567890.10');
  });

  test("is rejected while a run holds the lock, for a version without content, and without the admin role", async () => {
    const run = await writeAll(first);
    expect(seen(await rollback(run, 1))).toEqual([423, "api.state_locked"]);
    await run.unlock("a");
    expect(seen(await rollback(run, 1, viewer.key))).toEqual([403, "api.denied"]);
    expect(seen(await rollback(run, 9))).toEqual([404, "api.not_found"]);
    await run.send("DELETE");
    expect(seen(await rollback(run, 2))).toEqual([404, "api.not_found"]);
    expect((await rollback(run, 1)).status).toBe(200);
  });

  test("X030 ignores and releases a lock whose holder is gone", async () => {
    const run = await writeAll(first);
    await run.finish();
    expect((await rollback(run, 1)).status).toBe(200);
    expect((await read(`/${run.entityUid}`))["lock"]).toBeUndefined();
    expect(
      await query("select reason from event where entity_uid = $1 and reason = 'StateLockReleased'", run.entityUid),
    ).toHaveLength(1);
  });

  test("during a concurrent write leaves one consistent history", async () => {
    const run = await writeAll(first);
    await run.unlock("a");
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => rollback(run, 1)),
      ...Array.from({ length: 4 }, (_, n) => run.lock(`l${n}`)),
    ]);
    for (const { status } of answers) expect([200, 423]).toContain(status);
    const rows = (await query(
      "select version, serial from state_version where entity_uid = $1 order by version",
      run.entityUid,
    )) as {
      version: number;
      serial: number;
    }[];
    expect(rows).toEqual(rows.map((_, index) => ({ version: index + 1, serial: index + 1 })));
  });
});

describe("X030 an unlock by a user", () => {
  const unlock = (run: StateRun, force = false, key = api.adminKey): Promise<TestAnswer> =>
    api.call("POST", `${states}/${run.entityUid}:unlock`, { key, body: { force } });

  test("requires force while the holder is alive; its run cannot write any more", async () => {
    const run = await writeAll(first);
    expect(seen(await unlock(run, true, viewer.key))).toEqual([403, "api.denied"]);
    expect(seen(await unlock(run))).toEqual([423, "api.state_locked"]);
    const answer = await unlock(run, true);
    expect([answer.status, (answer.body as unknown as JsonObject)["lock"]]).toEqual([200, undefined]);
    expect(seen(await run.post(second, "a"))).toEqual([409, "api.state_not_held"]);
    expect(await query("select reason, actor from event where entity_uid = $1 and reason like 'State%'", run.entityUid)).toEqual([
      { reason: "StateUnlocked", actor: "admin" },
    ]);
    expect(await query("select verb, outcome from audit where request_id = $1", answer.headers["x-request-id"])).toEqual([
      { verb: "unlock", outcome: "allowed" },
    ]);
  });

  test("does not require force when the holder is gone, and changes nothing without a lock", async () => {
    const run = await writeAll(first);
    await run.finish();
    expect((await unlock(run)).status).toBe(200);
    const before = await api.countStored();
    expect((await unlock(run)).status).toBe(200);
    expect(await api.countStored()).toEqual(before);
  });
});

test("M008 states are read and rolled back over Connect as over REST", async () => {
  const run = await writeAll(first, second);
  await run.unlock("a");
  const place = { project: "default", name: run.entityUid };
  const call = async (kind: string, verb: string, more: JsonObject = {}): Promise<JsonObject> => {
    const { code, body } = await callConnect(api.url, getMethod(kind, verb), { ...place, ...more }, { key: api.adminKey });
    expect(code).toBe("ok");
    return body as JsonObject;
  };
  expect(await call("StateContent", "get")).toMatchObject({ content: second.toString("utf8") });
  expect(await call("State", "rollback", { version: 1 })).toMatchObject({ newest: { version: 3 } });
  expect(await call("StateDiff", "get", { from: 1, to: 3 })).not.toHaveProperty("resources");
});

test("M097 key rotation re-encrypts the keys of states and leaves their content in place", async () => {
  const run = await writeAll(first);
  const { keyRing } = api.deps;
  const ring: KeyRing = { primary: "next", keys: new Map([["next", new Secret(randomBytes(32))], ...keyRing.keys]) };
  const before = await findStateVersion(api.pool, run.entityUid, 1);
  expect(await rewrapSecrets(api.pool, ring)).toBeGreaterThan(0);
  const after = await findStateVersion(api.pool, run.entityUid, 1);
  if (before === undefined || after === undefined) throw new Error("the version exists");
  expect(after.content).toEqual(before.content);
  const newOnly: KeyRing = { primary: "next", keys: new Map([["next", ring.keys.get("next") as Secret<Buffer>]]) };
  expect((await openContent(newOnly, after))?.equals(first)).toBe(true);
  await expect(openContent(keyRing, after)).rejects.toMatchObject({ code: "store.key_missing" });
  await rewrapSecrets(api.pool, { primary: keyRing.primary, keys: ring.keys });
});
