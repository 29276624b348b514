import { createLogger, createManualClock } from "@cloudwright/platform";
import { prune } from "@cloudwright/store";
import { generateKeyPair, exportJWK } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { createAgentKey, createJoinToken } from "../testing/test-agent.ts";

const clock = createManualClock(Date.now());
const logged: string[] = [];
const log = createLogger({ level: "debug", name: "test", stream: { write: (line) => void logged.push(line) } });

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ clock, log });
});
afterAll(() => api.close());

function join(body: Record<string, string>): Promise<TestAnswer> {
  return api.send({ method: "POST", path: "/v1/join", body });
}

async function prepare(name: string, project = "default"): Promise<{ joinToken: string; name: string; publicKey: string }> {
  return { joinToken: await createJoinToken(api, project), name, publicKey: (await createAgentKey()).publicKey };
}

test("M027 a join token registers its holder as an agent of its project, is audited and grants nothing else", async () => {
  const request = await prepare("edge");
  const { status, body } = await join({ ...request, version: "1.2.3" });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    metadata: { project: "default", name: "edge" },
    spec: { draining: false, publicKey: request.publicKey },
    status: { phase: "PENDING", version: "1.2.3" },
  });
  expect((await api.must("GET", "/v1/projects/default/agents/edge")).body).toEqual(body);
  const events = (await api.must("GET", "/v1/projects/default/events?filter=name=edge")).body.items as unknown as object[];
  expect(events).toMatchObject([{ reason: "Joined", kind: "Agent", actor: "agent:edge" }]);
  const audits = (await api.must("GET", "/v1/projects/default/auditrecords?filter=verb=join")).body.items as unknown as object[];
  expect(audits).toMatchObject([{ name: "edge", outcome: "allowed" }]);
});

test("M027 repeating the same join returns the same agent: the first response may have been lost", async () => {
  const request = await prepare("again");
  const [first, second] = await Promise.all([join(request), join(request)]);
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.body).toEqual(first.body);
  expect((await join(request)).body).toEqual(first.body);
});

test("M005 used, expired and made-up tokens are rejected with the same response", async () => {
  const used = await prepare("first");
  await join(used);
  const late = await prepare("late");
  const deleted = await prepare("deleted");
  await join(deleted);
  await api.must("DELETE", "/v1/projects/default/agents/deleted");
  clock.advance(3_599_000);
  const other = { ...used, publicKey: (await createAgentKey()).publicKey };
  const answers = [await join({ ...used, name: "second" }), await join(other), await join(deleted)];
  clock.advance(1000);
  answers.push(await join(late), await join(used), await join({ ...late, joinToken: "cwj_nobody-made-this" }));
  const seen = answers.map(({ status, body }) => [status, body.code, body.detail]);
  expect(seen).toEqual(seen.map(() => [401, "api.join_refused", answers[0]?.body.detail]));
  const text = "select distinct verb, kind, outcome, source from audit where code = 'api.join_refused'";
  const { rows } = await api.pool.query({ text, values: [] });
  expect(rows).toEqual([{ verb: "authenticate", kind: "Identity", outcome: "denied", source: "127.0.0.1" }]);
});

test("M006 M027 a join token becomes invalid when the API key that created it expires or is revoked or rotated; agents that joined remain", async () => {
  const prepareWith = async (name: string, expiresAt = ""): Promise<{ requests: Record<string, string>[]; path: string }> => {
    const spec = { user: "admin", ...(expiresAt === "" ? {} : { expiresAt }) };
    const { body } = await api.must("POST", "/v1/apikeys", { body: { metadata: { name }, spec } });
    const key = body.status["key"] as string;
    const create = async (agent: string): Promise<Record<string, string>> => {
      const answer = await api.must("POST", "/v1/projects/default/jointokens", { key, body: {} });
      return { ...(await prepare(agent)), joinToken: (answer.body as unknown as { joinToken: string }).joinToken };
    };
    return { requests: [await create(`${name}-joined`), await create(`${name}-late`)], path: `/v1/apikeys/${name}` };
  };
  const soon = new Date(clock.now() + 60_000).toISOString();
  const [revoked, rotated, short] = [
    await prepareWith("revoked"),
    await prepareWith("rotated"),
    await prepareWith("short", soon),
  ];
  for (const { requests } of [revoked, rotated, short]) expect((await join(requests[0] ?? {})).status).toBe(200);
  await api.must("DELETE", revoked.path);
  await api.must("POST", `${rotated.path}:rotate`, { body: {} });
  clock.advance(60_000);
  for (const { requests } of [revoked, rotated, short])
    expect((await join(requests[1] ?? {})).body.code).toBe("api.join_refused");
  for (const name of ["revoked", "rotated", "short"]) await api.must("GET", `/v1/projects/default/agents/${name}-joined`);
});

test("M027 a token is valid for as long as requested", async () => {
  const joinToken = await createJoinToken(api, "default", 10);
  clock.advance(9000);
  expect((await join({ ...(await prepare("quick")), joinToken })).status).toBe(200);
  const second = await createJoinToken(api, "default", 10);
  clock.advance(10_000);
  expect((await join({ ...(await prepare("slow")), joinToken: second })).status).toBe(401);
});

test("M027 a name that is taken is a conflict, and the token can still be used", async () => {
  await join(await prepare("taken"));
  const request = await prepare("taken");
  expect([(await join(request)).body.code, (await join({ ...request, name: "free" })).status]).toEqual(["store.exists", 200]);
});

test("M027 only one of two concurrent joins with the same token succeeds", async () => {
  const [one, two] = [await prepare("one"), await prepare("two")];
  const answers = await Promise.all([join(one), join({ ...two, joinToken: one.joinToken })]);
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["200", "401"]);
});

test("M027 only a public Ed25519 key is accepted, and stored without additional fields", async () => {
  const request = await prepare("keyed");
  const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const whole = JSON.stringify(await exportJWK(privateKey));
  const rsa = JSON.stringify(await exportJWK((await generateKeyPair("RS256", { extractable: true })).publicKey));
  for (const publicKey of [whole, rsa, "{}", "[]", "null", "no json", '{"kty":"OKP","crv":"Ed25519","x":"AA"}']) {
    const { status, body } = await join({ ...request, publicKey });
    expect([publicKey, status, body.code]).toEqual([publicKey, 400, "api.invalid"]);
  }
  const { body } = await join({ ...request, publicKey: JSON.stringify({ ...JSON.parse(request.publicKey), use: "sig" }) });
  expect(body.spec["publicKey"]).toBe(JSON.stringify({ kty: "OKP", crv: "Ed25519", x: JSON.parse(request.publicKey).x }));
});

test("M027 a token is deleted with its project, even if another project of the same name is created", async () => {
  await api.createProject("short-lived");
  const request = await prepare("edge", "short-lived");
  await api.must("DELETE", "/v1/projects/short-lived?cascade=true");
  await api.createProject("short-lived");
  expect((await join(request)).body.code).toBe("api.join_refused");
});

test("M027 tokens are created by admins of the whole project, and expired ones are deleted", async () => {
  await api.must("POST", "/v1/projects/default/environments", { body: { metadata: { name: "staging" } } });
  const part = await api.createPerson("part", [{ project: "default", role: "admin", environment: "staging" }]);
  const answer = await api.call("POST", "/v1/projects/default/jointokens", { key: part.key, body: {} });
  expect([answer.status, answer.body.code]).toEqual([403, "api.denied"]);
  const body = { metadata: { name: "mine", environment: "staging" }, spec: { publicKey: (await createAgentKey()).publicKey } };
  const made = await api.call("POST", "/v1/projects/default/agents", { key: part.key, body });
  expect([made.status, made.body.code]).toEqual([403, "api.denied"]);
  await api.must("POST", "/v1/projects/default/agents", { body });
  const changed = await api.call("PATCH", "/v1/projects/default/agents/mine", { key: part.key, body: { spec: body.spec } });
  expect([changed.status, changed.body.code]).toEqual([403, "api.denied"]);
  for (const ttlSeconds of [-1, 86_401, "many"])
    expect((await api.call("POST", "/v1/projects/default/jointokens", { body: { ttlSeconds } })).body.code).toBe("api.invalid");
  await createJoinToken(api, "default");
  const now = new Date(clock.now() + 3_600_001).toISOString();
  await prune(api.pool, { changes: "2000-01-01", idempotency: "2000-01-01", now });
  expect((await api.pool.query({ text: "select from join_token", values: [] })).rows).toEqual([]);
});

test("M027 neither token nor key appears in logs, events, audit records or the store", async () => {
  const request = await prepare("quiet");
  await join(request);
  await join({ ...request, name: "loud" });
  expect(logged.length).toBeGreaterThan(0);
  const { rows } = await api.pool.query<{ text: string }>({
    text: `select coalesce(string_agg(t::text, ''), '') as text from (
      select to_jsonb(e)::text as t from event e union all select to_jsonb(a)::text from audit a union all select to_jsonb(c)::text from change c
      union all select to_jsonb(j)::text from join_token j union all select to_jsonb(n)::text from entity n) all_rows`,
    values: [],
  });
  expect(rows[0]?.text).toContain("quiet");
  for (const text of [rows[0]?.text, logged.join("")]) expect(text).not.toContain(request.joinToken);
});
