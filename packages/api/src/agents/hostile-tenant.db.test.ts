import { isEntityKind, methods, type JsonObject, type Method } from "@cloudwright/contract";
import { createUid, systemClock } from "@cloudwright/platform";
import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callConnect } from "../testing/connect-call.ts";
import { listRestRequests, renderMessage, type Place } from "../testing/method-requests.ts";
import { getSeed, renderEntity, type Seeds } from "../testing/seed-project.ts";
import { renderTfState, startRun, type StateRun } from "../testing/state-run.ts";
import { joinTestAgent, type TestAgent } from "../testing/test-agent.ts";
import type { Person, TestApi } from "../testing/test-api.ts";
import { startTwoProjects } from "../testing/two-projects.ts";

/**
 * Ada owns the project `ours` and attacks the project `theirs`. Both projects share one agent. All her attempts must be rejected, must
 * reveal nothing about the other project, and must change nothing. tenancy.db.test.ts covers the agent's identity and the state backends.
 */
let api: TestApi;
let ada: Person;
let ours: Seeds;
let theirs: Seeds;
let shared: TestAgent;
let ownRun: StateRun;
let theirRun: StateRun;

const canary = "canary-in-the-state-of-theirs";
const seed = chooseSeed();

beforeAll(async () => {
  ({ api, ada, ours, theirs } = await startTwoProjects());
  shared = await joinTestAgent(api, "system", "shared-by-both");
  const stack = async (project: string): Promise<string> => {
    const body = { metadata: { name: "stack" }, spec: { simulated: true, aws: {} } };
    return (await api.must("POST", `/v1/projects/${project}/accounts`, { body })).body.metadata.uid ?? "";
  };
  ownRun = await startRun(api, await shared.sign(), await stack("ours"), { project: "ours" });
  theirRun = await startRun(api, await shared.sign(), await stack("theirs"), { project: "theirs" });
  await theirRun.lock("their-lock");
  await theirRun.post(renderTfState(1, { one: { id: canary } }), "their-lock");
});
afterAll(() => api.close());

async function readTheirs(): Promise<string> {
  const text = `select json_agg(json_build_array(e.uid, e.resource_version, e.object, e.deleted_at) order by e.uid)::text as entities,
      (select json_agg(json_build_array(s.entity_uid, s.lock_id) order by s.entity_uid)::text from state s) as states,
      (select count(*) from state_version)::text as versions
    from entity e where e.project = 'theirs' or e.name = 'theirs'`;
  return JSON.stringify((await api.pool.query({ text, values: [] })).rows);
}

/** Methods whose path is within a project. Ada could use them to try to reach another project. */
const inProject = methods.filter(
  ({ role, bindings }) => role !== "public" && bindings.some(({ path }) => path.includes("{project}")),
);

function placeOf({ kind, verb }: Method, project: string, name: string): Place {
  const writes = isEntityKind(kind) && ["create", "update", "preflight", "preview"].includes(verb);
  const entity = writes ? renderEntity(kind, name || "new", ours) : {};
  return { project, parent: getSeed(theirs, "Cluster").name, name, entity };
}

test("X062 M009 every method on the other project is rejected over REST, Connect and gRPC, and the attempt is audited there", async () => {
  const before = await readTheirs();
  for (const method of inProject) {
    const place = placeOf(method, "theirs", theirs.get(method.kind)?.name ?? "main");
    const count = await countDenials();
    let attempts = 0;
    for (const request of listRestRequests(method, place)) {
      const { status, text } = await api.send({ ...request, key: ada.key });
      expect([method.id, status]).toEqual([method.id, 404]);
      expect(text).not.toContain(canary);
      attempts += 1;
    }
    for (const protocol of ["connect", "grpc"] as const) {
      const outcome = await callConnect(api.url, method, renderMessage(method, place), { key: ada.key, protocol });
      expect([method.id, protocol, outcome.code]).toEqual([method.id, protocol, "NotFound"]);
      attempts += 1;
    }
    expect([method.id, (await countDenials()) - count]).toEqual([method.id, attempts]);
  }
  expect(await readTheirs()).toBe(before);
});

async function countDenials(): Promise<number> {
  const text = "select count(*)::int as count from audit where project = 'theirs' and outcome = 'denied' and actor = 'ada'";
  return (await api.pool.query<{ count: number }>({ text, values: [] })).rows[0]?.count ?? 0;
}

test(`X062 M009 guessed names and ids in the other project are rejected (seed ${seed})`, async () => {
  const { below: draw } = createRandom(seed);
  const before = await readTheirs();
  const known = [...theirs.values()].flatMap(({ name, uid }) => [name, uid]);
  const disguise: ((text: string) => string)[] = [
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => `../../theirs/${text}`,
    (text) => `theirs/${text}`,
    (text) => `${text}%00`,
    (text) => `${text}\u200b`,
    (text) => text.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
    (text) => `${text}' or '1'='1`,
    () => createUid(systemClock.now()),
  ];
  const named = inProject.filter(({ bindings }) => bindings.every(({ path }) => path.includes("{name}")));
  for (let round = 0; round < 200; round++) {
    const method = named[draw(named.length)] as Method;
    const guess = (disguise[draw(disguise.length)] as (text: string) => string)(known[draw(known.length)] ?? "");
    const project = ["ours", "theirs", getSeed(theirs, "Project").uid, "system"][draw(4)] ?? "ours";
    if (project === "ours" && [...ours.values()].some(({ name, uid }) => name === guess || uid === guess)) continue;
    const place = placeOf(method, project, guess);
    for (const request of listRestRequests(method, place)) {
      const { status, text } = await api.send({ ...request, key: ada.key });
      const isCreation = project === "ours" && method.verb === "preflight";
      const allowed = isCreation ? [202, 400, 403, 404] : [400, 403, 404];
      expect([method.id, request.path, status]).toEqual([method.id, request.path, expect.toBeOneOf(allowed)]);
      expect(text).not.toContain(canary);
    }
  }
  expect(await readTheirs()).toBe(before);
});

test("X062 a run's credential does not give access to another project's state: read, write, lock, unlock, delete and plans are rejected", async () => {
  const before = await readTheirs();
  const authorization = `Basic ${Buffer.from(`${ownRun.username}:${ownRun.password}`).toString("base64")}`;
  const mixed = `Basic ${Buffer.from(`${theirRun.username}:${ownRun.password}`).toString("base64")}`;
  const body = renderTfState(9, { stolen: { id: "x" } });
  const lock = Buffer.from(JSON.stringify({ ID: "their-lock", Operation: "x", Who: "ada", Version: "1", Created: "", Path: "" }));
  const tries: [string, string, Buffer?][] = [
    ["GET", theirRun.path],
    ["POST", `${theirRun.path}?ID=their-lock`, body],
    ["POST", theirRun.path, body],
    ["LOCK", theirRun.path, lock],
    ["UNLOCK", theirRun.path, lock],
    ["DELETE", theirRun.path],
    ["DELETE", `${theirRun.path}?ID=their-lock`],
    ["GET", `${theirRun.path}/plan`],
    ["PUT", `${theirRun.path}/plan`, body],
    ["GET", ownRun.path.replace(ownRun.entityUid, `${ownRun.entityUid}/../${theirRun.entityUid}`)],
  ];
  for (const given of [authorization, mixed, `Bearer ${ada.key}`, `Bearer ${await shared.sign()}`]) {
    for (const [method, path, sent] of tries) {
      const { status, text } = await api.send({
        method,
        path,
        headers: { authorization: given },
        ...(sent === undefined ? {} : { body: sent }),
      });
      expect([method, path, status]).toEqual([method, path, expect.toBeOneOf([401, 403, 404, 405])]);
      expect(text).not.toContain(canary);
    }
  }
  expect(await readTheirs()).toBe(before);
  expect((await theirRun.send("GET")).text).toContain(canary);
});

test("X062 an agent of the hostile project cannot use another project's tasks with leaked or guessed leases", async () => {
  const own = await joinTestAgent(api, "ours", "own");
  const before = await readTheirs();
  const leases = [theirRun.leaseToken, ownRun.leaseToken, createUid(systemClock.now())];
  for (const leaseToken of leases) {
    const held = { uid: theirRun.taskUid, leaseToken };
    const calls: [string, JsonObject][] = [
      ["/v1/worker/credentials", held],
      ["/v1/worker/state", held],
      ["/v1/worker/finish", { ...held, outcome: "done" }],
      ["/v1/worker/token", { ...held, token: "t", expiresAt: "2030-01-01T00:00:00Z" }],
    ];
    for (const [path, body] of calls) {
      const { status, text } = await api.call("POST", path, { key: await own.sign(), body });
      // The server ignores a result that is reported under a lease the agent does not hold.
      const isIgnored = path.endsWith("/finish") && status === 200 && text === '{"accepted":false}';
      expect([path, isIgnored ? 409 : status]).toEqual([path, expect.toBeOneOf([400, 403, 404, 409])]);
      expect(text).not.toContain(canary);
    }
    for (const [path, body] of calls)
      expect([path, (await api.call("POST", path, { key: ada.key, body })).status]).toEqual([path, expect.toBeOneOf([403, 404])]);
  }
  expect(await readTheirs()).toBe(before);
  expect((await theirRun.send("GET")).status).toBe(200);
});
