import { getMethod, type Json } from "@cloudwright/contract";
import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { callConnect } from "../testing/connect-call.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { createAccount, startSimulatingRun } from "../testing/simulating-run.ts";
import { joinTestAgent } from "../testing/test-agent.ts";

let api: TestApi;
let account: string;
let name: string;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

beforeEach(async () => {
  name = `cloud-${createUid(systemClock.now()).slice(-12)}`;
  account = await createAccount(api, { simulated: true, aws: {} }, name);
});

const pathOf = (rest: string, of = name): string => `/v1/projects/default/accounts/${of}/simulation${rest}`;
const ask = (method: string, rest: string, body?: object): Promise<TestAnswer> =>
  api.call(method, pathOf(rest), body === undefined ? {} : { body: body as never });
const bodyOf = async (answer: Promise<TestAnswer>): Promise<Record<string, Json>> => (await answer).body as never;
const seen = ({ status, body }: TestAnswer): [number, string] => [status, body.code ?? ""];
const listAudits = async (verb: string): Promise<object[]> => {
  const text = "select actor, kind, name, outcome, code from audit where entity_uid = $1 and verb = $2 order by uid";
  return (await api.pool.query<object>({ text, values: [account, verb] })).rows;
};
const put = (type: string, id: string, attributes: object): Promise<unknown> =>
  api.pool.query({
    text: "insert into simulated_record (account_uid, type, id, attributes) values ($1, $2, $3, $4)",
    values: [account, type, id, JSON.stringify(attributes)],
  });

describe("M032 M089 the inventory of a simulated cloud", () => {
  test("is listed page by page, by type, and by the entity it belongs to", async () => {
    const entity = createUid(systemClock.now());
    const tags = { "cloudwright:entity": entity };
    await put("aws_vpc", "vpc-1", { tags });
    await put("aws_vpc", "vpc-2", { tags: {} });
    await put("aws_route_table_association", "subnet-1/rtb-1", { subnet: "vpc-1" });
    await put("aws_route_table_association", "subnet-2/rtb-2", { subnet: "vpc-2" });
    const list = async (query: string): Promise<string[]> =>
      ((await bodyOf(ask("GET", `/records?${query}`)))["items"] as { id: string }[]).map(({ id }) => id);
    expect(await list("")).toEqual(["subnet-1/rtb-1", "subnet-2/rtb-2", "vpc-1", "vpc-2"]);
    expect(await list("type=aws_vpc")).toEqual(["vpc-1", "vpc-2"]);
    expect(await list(`entityUid=${entity}`)).toEqual(["subnet-1/rtb-1", "vpc-1"]);
    const page = await bodyOf(ask("GET", "/records?pageSize=3"));
    expect(page).toMatchObject({ simulated: true, items: [{ simulated: true }, {}, {}] });
    expect(await list(`pageSize=3&pageToken=${page["nextPageToken"] as string}`)).toEqual(["vpc-2"]);
    expect(seen(await ask("GET", `/records?type=aws_vpc&pageToken=${page["nextPageToken"] as string}`))).toEqual([
      400,
      "api.bad_page_token",
    ]);
    expect(seen(await ask("GET", "/records?entityUid=network"))).toEqual([400, "api.invalid"]);
    expect(await bodyOf(ask("GET", ""))).toMatchObject({
      account: name,
      accountUid: account,
      simulated: true,
      records: { aws_vpc: 2, aws_route_table_association: 2 },
      faults: 0,
    });
  });

  test("M136 finds the resources of an entity by labels, by descriptions and by references to their names", async () => {
    const entity = createUid(systemClock.now());
    const description = `Managed by Cloudwright (cloudwright:entity=${entity} cloudwright:part=this/network)`;
    const labels = { cloudwright_entity: entity };
    await put("google_compute_router", "g-router", { name: "main-1a2b", description });
    await put("google_compute_router_nat", "g-nat", { router: "main-1a2b" });
    await put("google_compute_router_nat", "g-other-nat", { router: "main-3c4d" });
    await put("google_compute_address", "g-address", { labels });
    await put("google_container_cluster", "g-cluster", { resource_labels: labels });
    await put("google_container_node_pool", "g-pool", { node_config: [{ resource_labels: labels }] });
    await put("google_compute_network", "g-other", { description: "cloudwright:entity=other " });
    const found = (await bodyOf(ask("GET", `/records?entityUid=${entity}`)))["items"] as { id: string }[];
    expect(found.map(({ id }) => id).toSorted()).toEqual(["g-address", "g-cluster", "g-nat", "g-pool", "g-router"]);
    for (const { id } of [...found, { id: "g-other" }, { id: "g-other-nat" }])
      await api.pool.query({ text: "delete from simulated_record where account_uid = $1 and id = $2", values: [account, id] });
  });

  test("X080 keeps an audit trail of users and runs, which only runs of the account can read", async () => {
    const agent = await (await joinTestAgent(api, "system", "trail")).sign();
    const run = await startSimulatingRun(api, agent, account);
    const trail = { do: "trail", type: "aws_vpc", id: "vpc-9" };
    await run.must({ do: "create", type: "aws_vpc", id: "vpc-9", attributes: { size: 1 } });
    await run.must({ do: "put", type: "aws_vpc", id: "vpc-9", attributes: { size: 2 } });
    await run.must({ do: "create", type: "aws_vpc", id: "vpc-9", attributes: { size: 3 } });
    await ask("POST", "/drift", { type: "aws_vpc", id: "vpc-9", attributes: { size: 4 } });
    await ask("POST", "/remove", { type: "aws_vpc", id: "vpc-9" });
    const [entries] = (await run.must(trail)) as { actor: string; action: string }[][];
    const own = `cloudwright-${run.taskUid}`;
    expect(entries?.map(({ actor, action }) => [actor, action])).toEqual([
      ["admin", "delete"],
      ["admin", "update"],
      [own, "update"],
      [own, "create"],
    ]);
    const other = await startSimulatingRun(api, agent, await createAccount(api));
    expect(await other.must(trail)).toEqual([[]]);
    expect((await other.batch([trail], { accountUid: account })).status).toBe(401);
    await ask("POST", "/reset", {});
    expect(await run.must(trail)).toEqual([[]]);
  });

  test("M042 M014 can drift: attributes are merged, null removes one, others stay, and the change is audited", async () => {
    await put("aws_vpc", "vpc-1", { cidr: "10.0.0.0/16", tags: { a: "1", b: "2" } });
    const drifted = await bodyOf(
      ask("POST", "/drift", { type: "aws_vpc", id: "vpc-1", attributes: { tags: { a: null, c: "3" }, dns: true } }),
    );
    const attributes = { cidr: "10.0.0.0/16", tags: { b: "2", c: "3" }, dns: true };
    expect(drifted).toMatchObject({ type: "aws_vpc", id: "vpc-1", attributes, simulated: true });
    expect(await bodyOf(ask("GET", "/record?type=aws_vpc&id=vpc-1"))).toMatchObject({ attributes });
    expect(seen(await ask("POST", "/drift", { type: "aws_vpc", id: "vpc-2", attributes: {} }))).toEqual([404, "api.not_found"]);
    expect(seen(await ask("POST", "/drift", { type: "aws_vpc", id: "vpc-1" }))).toEqual([400, "api.invalid"]);
    const about = { actor: "admin", kind: "SimulatedRecord", name };
    expect((await listAudits("drift"))[0]).toEqual({ ...about, outcome: "allowed", code: "" });
  });

  test("keeps both of two concurrent changes to one record", async () => {
    await put("thing", "1", {});
    const names = Array.from({ length: 10 }, (_, nth) => `n${nth}`);
    await Promise.all(names.map((each) => ask("POST", "/drift", { type: "thing", id: "1", attributes: { [each]: 1 } })));
    const { attributes } = await bodyOf(ask("GET", "/record?type=thing&id=1"));
    expect(Object.keys(attributes as object)).toEqual(names);
  });

  test("M014 can lose one record or all of them, which is audited", async () => {
    await put("thing", "1", { size: 1 });
    await put("thing", "2", {});
    expect(await bodyOf(ask("POST", "/remove", { type: "thing", id: "1" }))).toMatchObject({ attributes: { size: 1 } });
    expect(seen(await ask("POST", "/remove", { type: "thing", id: "1" }))).toEqual([404, "api.not_found"]);
    await ask("POST", "/adjust", { speed: 1 });
    await ask("POST", "/fail", { kind: "crash", operation: "create" });
    expect(await bodyOf(ask("POST", "/reset", {}))).toMatchObject({ records: {}, faults: 0, conditions: { speed: 1000 } });
    expect(await listAudits("remove")).toHaveLength(1);
    expect(await listAudits("reset")).toHaveLength(1);
  });
});

describe("M032 faults on demand", () => {
  test("are scheduled, listed in order, and cancelled one by one or all at once", async () => {
    const error = {
      kind: "error",
      message: "VpcLimitExceeded: no",
      operation: "create",
      type: "aws_vpc",
      nth: 3,
      afterEffect: true,
    };
    const planned = await bodyOf(ask("POST", "/fail", error));
    expect(planned).toMatchObject({ ...error, times: 1, seen: 0, state: "PLANNED", actor: "admin", simulated: true });
    await ask("POST", "/fail", { kind: "slow", delayMs: 10, operation: "read" });
    await ask("POST", "/fail", { kind: "lost_reply", operation: "delete" });
    const kinds = async (query = ""): Promise<string[]> =>
      ((await bodyOf(ask("GET", `/faults${query}`)))["items"] as { kind: string }[]).map(({ kind }) => kind);
    expect(await kinds()).toEqual(["error", "slow", "lost_reply"]);
    const { nextPageToken } = await bodyOf(ask("GET", "/faults?pageSize=2"));
    expect(await kinds(`?pageToken=${nextPageToken as string}`)).toEqual(["lost_reply"]);
    expect(await bodyOf(ask("POST", "/clear", { uid: planned["uid"] }))).toMatchObject({ faults: 2 });
    expect(seen(await ask("POST", "/clear", { uid: planned["uid"] }))).toEqual([404, "api.not_found"]);
    expect(await bodyOf(ask("POST", "/clear", {}))).toMatchObject({ faults: 0 });
    expect(await listAudits("fail")).toHaveLength(3);
    expect((await listAudits("clear")).map((record) => (record as { outcome: string }).outcome)).toEqual(["allowed", "allowed"]);
  });

  test("X063 an account has at most 100 pending faults", async () => {
    const fault = { kind: "lost_reply", operation: "delete" };
    for (let nth = 0; nth < 100; nth += 1) expect((await ask("POST", "/fail", fault)).status).toBe(200);
    expect(seen(await ask("POST", "/fail", fault))).toEqual([413, "api.simulation_too_large"]);
    await ask("POST", "/clear", {});
    expect((await ask("POST", "/fail", fault)).status).toBe(200);
  });

  test.each([
    [{ kind: "error", operation: "create" }, "message"],
    [{ kind: "crash", operation: "create", message: "no" }, "message"],
    [{ kind: "slow", operation: "create" }, "delayMs"],
    [{ kind: "hang", operation: "create", afterEffect: true }, "afterEffect"],
    [{ kind: "crash", operation: "create", deaf: true }, "deaf"],
    [{ kind: "fire", operation: "create" }, "kind"],
    [{ kind: "crash", operation: "dance" }, "operation"],
    [{ kind: "crash", operation: "create", nth: -1 }, "nth"],
  ])("that make no sense are rejected: %j", async (fault, field) => {
    const answer = await ask("POST", "/fail", fault);
    expect([seen(answer), answer.body.fields.map((each) => each.field)]).toEqual([[400, "api.invalid"], [field]]);
  });

  test("quotas, throttling and slowness are set separately, and reset to the defaults", async () => {
    const conditionsAfter = async (change: object): Promise<Json> =>
      (await bodyOf(ask("POST", "/adjust", change)))["conditions"] as Json;
    const standard = { speed: 1000, lagMs: 0, callsPerSecond: 0, burst: 0, quotas: {} };
    expect(await conditionsAfter({})).toEqual(standard);
    expect(await conditionsAfter({ quotas: { "vpcs-per-region": 0, roles: 7 } })).toMatchObject({
      quotas: { "vpcs-per-region": 0, roles: 7 },
    });
    expect(await conditionsAfter({ speed: 10, lagMs: 500 })).toMatchObject({ speed: 10, lagMs: 500, quotas: { roles: 7 } });
    expect(await conditionsAfter({ callsPerSecond: 5 })).toMatchObject({ speed: 10, callsPerSecond: 5, burst: 5 });
    const { rows } = await api.pool.query<{ conditions: string }>({
      text: "select attributes ->> 'conditions' as conditions from simulated_record where account_uid = $1 and type = 'cloud_conditions'",
      values: [account],
    });
    // The simulator reads exactly this JSON.
    expect(JSON.parse(rows[0]?.conditions ?? "")).toEqual({
      timeScale: 0.1,
      lagMs: 500,
      throttle: { perSecond: 5, burst: 5 },
      quotas: { "vpcs-per-region": 0, roles: 7 },
    });
    const back = { speed: 0, lagMs: 0, callsPerSecond: 0, quotas: { "vpcs-per-region": -1, roles: -1 } };
    expect(await conditionsAfter(back)).toEqual(standard);
    expect((await bodyOf(ask("GET", "/records")))["items"]).toEqual([]);
    expect(seen(await ask("POST", "/adjust", { burst: 3 }))).toEqual([400, "api.invalid"]);
    expect(seen(await ask("POST", "/adjust", { quotas: { roles: -2 } }))).toEqual([400, "api.invalid"]);
  });
});

test.each([
  ["aws", "vpc-per-region", "vpcs-per-region"],
  ["gcp", "network-per-project", "networks-per-project"],
  ["azure", "resourcegroups", "resource-groups"],
])("X085 a quota that %s does not have is refused with the nearest name and the list", async (cloud, wrong, near) => {
  const own = `${name}-${cloud}-quotas`;
  await createAccount(api, { simulated: true, [cloud]: {} }, own);
  const adjust = (quotas: Json) => api.call("POST", pathOf("/adjust", own), { body: { quotas } });
  const refused = await adjust({ [wrong]: 0, "vcpus-per-region": 4 });
  expect(seen(refused)).toEqual([400, "api.invalid"]);
  const [violation, ...others] = refused.body.fields;
  expect([violation?.field, others]).toEqual([`quotas.${wrong}`, []]);
  expect(violation?.message).toMatch(new RegExp(`did you mean ${near}\\?.*choose from .*${near}.*vcpus-per-region`));
  // The rejected request stored nothing. A quota of another cloud is also rejected as unknown.
  expect((await bodyOf(adjust({})))["conditions"]).toMatchObject({ quotas: {} });
  expect(seen(await adjust({ [cloud === "aws" ? "resource-groups" : "vpcs-per-region"]: 1 }))).toEqual([400, "api.invalid"]);
  expect(seen(await adjust({ [wrong]: -1 }))).toEqual([400, "api.invalid"]);
  expect((await bodyOf(adjust({ [near]: 0 })))["conditions"]).toMatchObject({ quotas: { [near]: 0 } });
});

test("X085 a quota with an unknown name that an earlier release stored can be removed", async () => {
  const own = `${name}-old-quotas`;
  const uid = await createAccount(api, { simulated: true, gcp: {} }, own);
  await api.pool.query({
    text: `insert into simulated_record (account_uid, type, id, attributes)
      values ($1, 'cloud_conditions', 'conditions', jsonb_build_object('conditions', '{"quotas":{"vpcs-per-region":0}}'))`,
    values: [uid],
  });
  const answer = await api.call("POST", pathOf("/adjust", own), { body: { quotas: { "vpcs-per-region": -1 } } });
  expect((answer.body as unknown as { readonly conditions: Json }).conditions).toMatchObject({ quotas: {} });
});

test("M009 the cloud of a real account cannot be manipulated", async () => {
  await createAccount(api, { aws: { accessKeyId: "A".repeat(16), secretAccessKey: "s" } }, `${name}-real`);
  const send = (method: string, rest: string, body?: Json) =>
    api.call(method, pathOf(rest, `${name}-real`), body === undefined ? {} : { body });
  for (const rest of ["", "/records", "/faults", "/record?type=a&id=b"])
    expect([rest, seen(await send("GET", rest))]).toEqual([rest, [409, "api.not_simulated"]]);
  const key = { type: "thing", id: "1" };
  const acts: [string, Json][] = [
    ["/reset", {}],
    ["/drift", { ...key, attributes: {} }],
    ["/remove", key],
    ["/fail", { kind: "crash", operation: "create" }],
    ["/clear", {}],
    ["/adjust", { speed: 1 }],
    ["/credentials", {}],
  ];
  for (const [rest, body] of acts)
    expect([rest, seen(await send("POST", rest, body))]).toEqual([rest, [409, "api.not_simulated"]]);
});

test("M008 M009 a member of one environment has access only to the clouds of its accounts", async () => {
  await api.must("POST", "/v1/projects/default/environments", { body: { metadata: { name: `env-${name}` } } });
  const inside = `${name}-in`;
  const body = { metadata: { name: inside, environment: `env-${name}` }, spec: { simulated: true, aws: {} } };
  await api.must("POST", "/v1/projects/default/accounts", { body });
  const { key } = await api.createPerson(`eve-${name}`, [{ project: "default", role: "editor", environment: `env-${name}` }]);
  const { key: seeing } = await api.createPerson(`vic-${name}`, [
    { project: "default", role: "viewer" },
    { project: "default", role: "editor", environment: `env-${name}` },
  ]);
  const reset = (of: string, by: string) => api.call("POST", pathOf("/reset", of), { key: by, body: {} });
  expect((await reset(inside, key)).status).toBe(200);
  expect(seen(await reset(name, key))).toEqual([404, "api.not_found"]);
  expect(seen(await reset(name, seeing))).toEqual([403, "api.denied"]);
  expect((await api.call("GET", pathOf("/records"), { key: seeing })).status).toBe(200);
});

test("M007 M150 credentials for the cloud's own tools are issued to editors only, and each response is audited", async () => {
  const issued = await bodyOf(ask("POST", "/credentials", { region: "eu-west-1", rotate: true }));
  expect(issued).toEqual({
    // `SOURCE` identifies the API key that requested the credentials. They become invalid together with the key.
    environment: {
      KEY: `${account} aws eu-west-1 true`,
      SOURCE: expect.stringMatching(/^[0-9a-f-]{36}~cw_[\w-]+$/) as string,
      EXPIRES_AT: "undefined",
    },
    address: "https://127.0.0.1:8483",
    caPem: "pem",
    simulated: true,
  });
  const audit = { kind: "SimulatedCloud", name, outcome: "allowed", code: "" };
  expect(await listAudits("credentials")).toMatchObject([audit]);
  const { key } = await api.createPerson(`vic-${name}`, [{ project: "default", role: "viewer" }]);
  expect(seen(await api.call("POST", pathOf("/credentials"), { key, body: {} }))).toEqual([403, "api.denied"]);
  expect(seen(await ask("POST", "/credentials", { region: "../x" }))).toEqual([400, "api.invalid"]);
});

test("M150 X062 credentials that were requested with a token do not outlive the token", async () => {
  const { body } = await api.must("POST", "/v1/tokens", { body: { audience: "cloudwright" } });
  const { token, expiresAt } = body as unknown as { token: string; expiresAt: string };
  const issued = await api.must("POST", pathOf("/credentials"), { key: token, body: {} });
  const { EXPIRES_AT } = (issued.body as unknown as { environment: Record<string, string> }).environment;
  expect(Math.abs(Number(EXPIRES_AT) - Date.parse(expiresAt))).toBeLessThanOrEqual(1000);
});

test("M002 Connect does the same", async () => {
  await put("thing", "1", { size: 1 });
  const call = async (kind: string, verb: string, message: object): Promise<Json> =>
    (await callConnect(api.url, getMethod(kind, verb), { project: "default", name, ...message }, { key: api.adminKey })).body;
  expect(await call("SimulatedRecord", "drift", { type: "thing", id: "1", attributes: { size: 2 } })).toMatchObject({
    attributes: { size: 2 },
    simulated: true,
  });
  expect(await call("SimulatedCloud", "adjust", { quotas: { roles: 1 } })).toMatchObject({
    conditions: { quotas: { roles: 1 } },
    records: { thing: 1 },
  });
  expect(await call("SimulatedFault", "fail", { kind: "hang", operation: "read" })).toMatchObject({ state: "PLANNED" });
});
