import type { JsonObject } from "@cloudwright/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { createTestJudge } from "../testing/test-judge.ts";
import { enqueueTask, readOperation } from "../testing/work.ts";

const base = "/v1/projects/default";
const judge = createTestJudge();
const checked: unknown[] = [];
let api: TestApi;
let editor: Person;
let made = 0;

beforeAll(async () => {
  api = await startTestApi({
    judge,
    checkOverrides: (subject, overrides) => {
      checked.push({ ...subject, overrides });
      return Object.hasOwn(overrides, "module") ? [{ path: "module.evil", message: "modules contain code of their own" }] : [];
    },
  });
  editor = await api.createPerson("eddy", [{ project: "default", role: "editor" }]);
  for (const name of ["prod", "staging"]) await api.must("POST", `${base}/environments`, { body: { metadata: { name } } });
  await api.must("POST", `${base}/accounts`, { body: { metadata: { name: "main" }, spec: { simulated: true, aws: {} } } });
  await create("networks", { account: "main", region: "eu-west-1" }, { name: "net" });
});
beforeEach(() => {
  judge.say({});
  judge.entities.length = 0;
  checked.length = 0;
});
afterAll(() => api.close());

const seen = ({ status, body }: TestAnswer): [number, string] => [status, body.code ?? ""];
const fieldsOf = ({ body }: TestAnswer): unknown =>
  (body as unknown as { fields: { field: string }[] }).fields.map(({ field }) => field);
const nextName = (): string => `n-${(made += 1)}`;

function create(
  collection: string,
  spec: JsonObject,
  { name = nextName(), environment = "", query = "", key = api.adminKey } = {},
): Promise<TestAnswer> {
  return api.call("POST", `${base}/${collection}${query}`, { key, body: { metadata: { name, environment }, spec } });
}

const createNetwork = (infra: JsonObject, options: Parameters<typeof create>[2] = {}): Promise<TestAnswer> =>
  create("networks", { account: "main", region: "eu-west-1", infra }, options);
const patch = (name: string, body: JsonObject, options: { key?: string; query?: string } = {}): Promise<TestAnswer> =>
  api.call("PATCH", `${base}/networks/${name}${options.query ?? ""}`, { key: options.key ?? api.adminKey, body });

describe("X035 a policy", () => {
  test("with severity must rejects the creation or change of an entity, even in a dry run, and names the fields", async () => {
    const name = nextName();
    expect((await createNetwork({}, { name })).status).toBe(202);
    judge.say({ entity: [{}, { rule: "two", severity: "must", path: "spec.cidr" }, { rule: "three", severity: "may" }] });
    const before = await api.countStored();
    for (const query of ["", "?dryRun=true"]) {
      const created = await createNetwork({}, { query });
      expect([...seen(created), fieldsOf(created)]).toEqual([422, "api.denied_by_policy", ["spec.region", "spec.cidr"]]);
      expect(seen(await patch(name, { metadata: { labels: { a: "b" } } }, { query }))).toEqual([422, "api.denied_by_policy"]);
    }
    expect(await api.countStored()).toEqual(before);
    const put = { metadata: { name: nextName() }, spec: { account: "main", region: "eu-west-1" } };
    const path = `${base}/networks/${put.metadata.name}?allowMissing=true`;
    expect(seen(await api.call("PUT", path, { body: put }))).toEqual([422, "api.denied_by_policy"]);
  });

  test("sees the resulting entity with its parents, but no secret", async () => {
    const spec = { network: "net", version: "1.34", workers: 2 };
    expect((await create("clusters", spec, { name: "blue" })).status).toBe(202);
    const pool = { metadata: { name: "pool" }, spec: { instanceType: "m6i.large", min: 1, desired: 1, max: 2 } };
    await api.must("POST", `${base}/clusters/blue/nodepools`, { body: pool });
    await api.must("PATCH", `${base}/clusters/blue/nodepools/pool`, { body: { spec: { max: 3 } } });
    const above = [
      { kind: "Cluster", metadata: { name: "blue" } },
      { kind: "Network", metadata: { name: "net" } },
      { kind: "Account", metadata: { name: "main" }, spec: { simulated: true } },
    ];
    const account = { kind: "Account", metadata: { name: "main" } };
    expect(judge.entities).toMatchObject([
      { kind: "Cluster", metadata: { name: "blue" }, spec: { workers: 2 }, account, parents: above.slice(1) },
      { kind: "NodePool", spec: { max: 2 }, account, parents: above },
      { kind: "NodePool", spec: { max: 3 }, account, parents: above },
    ]);
    const secret = { aws: { accessKeyId: "AKIA0000000000000000", secretAccessKey: "canary-1f0a" } };
    await create("accounts", secret);
    expect(judge.entities).toHaveLength(4);
    expect(JSON.stringify(judge.entities)).not.toContain("canary");
  });

  test("with severity should or may accepts the entity and reports each finding once", async () => {
    judge.say({
      entity: [
        { severity: "should", message: "better not" },
        { severity: "may", path: "" },
      ],
    });
    const { body, status } = await createNetwork({});
    expect(status).toBe(202);
    const { items } = (await api.must("GET", `${base}/events?filter=entityUid=${body.metadata.uid ?? ""}`)).body;
    expect(items).toHaveLength(2);
    const warned = { reason: "PolicyWarned", type: "Warning", message: expect.stringContaining("better not") };
    expect(items).toContainEqual(expect.objectContaining(warned));
  });

  test("that is added later does not prevent deletion: protection can be removed and the entity deleted", async () => {
    const name = nextName();
    const { body } = await createNetwork({}, { name });
    await enqueueTask(api, body);
    await patch(name, { metadata: { deletionProtection: true } });
    judge.say({ entity: [{}] });
    expect((await patch(name, { metadata: { deletionProtection: false } })).status).toBe(200);
    expect((await api.call("DELETE", `${base}/networks/${name}`)).status).toBe(202);
    expect((await patch(name, { metadata: { labels: { a: "b" } } })).status).toBe(200);
    expect(judge.entities).toHaveLength(1);
  });
});

describe("M076 overrides and a custom backend", () => {
  const guarded: [string, JsonObject][] = [
    ["spec.infra.overrides", { overrides: { locals: { a: 1 } } }],
    ["spec.infra.backend", { backend: { type: "s3", settings: { bucket: "b" } } }],
  ];

  /** Creates a backend that the project may use. Repeated calls have no effect. */
  async function allowBackend(): Promise<void> {
    const spec = { type: "s3", settings: { bucket: "b", region: "eu-west-1" }, projects: ["default"] };
    await api.call("POST", "/v1/backends", { body: { metadata: { name: "states" }, spec } });
  }

  test.each(guarded)("%s is set by admins only, and the denial names the field and is audited", async (field, infra) => {
    const answer = await createNetwork(infra, { key: editor.key });
    expect([...seen(answer), fieldsOf(answer)]).toEqual([403, "api.denied", [field]]);
    const { rows } = await api.pool.query({
      text: "select outcome, code from audit where request_id = $1",
      values: [answer.headers["x-request-id"]],
    });
    expect(rows).toEqual([{ outcome: "denied", code: "api.denied" }]);
    expect(seen(await createNetwork(infra, { key: editor.key, query: "?dryRun=true" }))).toEqual([403, "api.denied"]);
    await allowBackend();
    expect((await createNetwork(infra)).status).toBe(202);
  });

  test("are kept by an editor who changes another field, who can neither change nor remove them", async () => {
    const name = nextName();
    await createNetwork({ overrides: { locals: { a: 1 } } }, { name });
    const change = (body: JsonObject): Promise<TestAnswer> => patch(name, body, { key: editor.key });
    expect((await change({ spec: { infra: { drift: "correct" } } })).status).toBe(202);
    for (const overrides of [{ locals: { a: 2 } }, { locals: { b: 1 } }, null])
      expect(seen(await change({ spec: { infra: { overrides } } }))).toEqual([403, "api.denied"]);
    expect(seen(await change({ spec: { infra: null } }))).toEqual([403, "api.denied"]);
    expect((await patch(name, { spec: { infra: { overrides: null } } })).status).toBe(202);
    expect((await change({ spec: { infra: { overrides: {} } } })).status).toBe(202);
  });

  test("do not affect a caller whose infra section contains only fields that editors may set", async () => {
    const name = nextName();
    const ignore = [{ address: "aws_vpc.this", path: "tags" }];
    expect((await createNetwork({ drift: "correct" }, { name, key: editor.key })).status).toBe(202);
    expect((await patch(name, { spec: { infra: { ignore, approval: "" } } }, { key: editor.key })).status).toBe(202);
    expect(seen(await patch(name, { spec: { infra: { approval: "risky" } } }, { key: editor.key }))).toEqual([403, "api.denied"]);
  });

  test("cannot be set or removed through an environment in which the caller is an admin", async () => {
    const { key } = await api.createPerson("mover", [
      { project: "default", role: "editor" },
      { project: "default", role: "admin", environment: "staging" },
    ]);
    const move = (name: string, environment: string): Promise<TestAnswer> => patch(name, { metadata: { environment } }, { key });
    const [own, theirs, plain] = [nextName(), nextName(), nextName()];
    expect((await createNetwork({ overrides: { locals: { a: 1 } } }, { name: own, environment: "staging", key })).status).toBe(
      202,
    );
    expect(seen(await move(own, "prod"))).toEqual([403, "api.denied"]);
    await createNetwork({ approval: "always" }, { name: theirs, environment: "prod" });
    expect(seen(await move(theirs, "staging"))).toEqual([403, "api.denied"]);
    await createNetwork({ drift: "correct" }, { name: plain, environment: "staging" });
    expect((await move(plain, "prod")).status).toBe(200);
  });

  test("require the admin role both where the entity is and where it is moved to", async () => {
    const admin = await api.createPerson("prod-admin", [
      { project: "default", role: "admin", environment: "prod" },
      { project: "default", role: "editor", environment: "staging" },
      { project: "default", role: "editor" },
    ]);
    const infra = { overrides: { locals: { a: 1 } } };
    const [name, { key }] = [nextName(), admin];
    expect(seen(await createNetwork(infra, { key, environment: "staging" }))).toEqual([403, "api.denied"]);
    expect((await createNetwork(infra, { key, environment: "prod", name })).status).toBe(202);
    const move = { metadata: { environment: "staging" }, spec: { infra: { overrides: { locals: { a: 2 } } } } };
    expect(seen(await patch(name, move, { key }))).toEqual([403, "api.denied"]);
  });

  test("are validated when they are set or changed, by kind and cloud", async () => {
    const name = nextName();
    const bad = { overrides: { module: { evil: { source: "git::https://evil" } } } };
    const answer = await createNetwork(bad);
    expect([...seen(answer), fieldsOf(answer)]).toEqual([400, "api.invalid", ["spec.infra.overrides.module.evil"]]);
    expect((await createNetwork({ overrides: { locals: { a: 1 } } }, { name })).status).toBe(202);
    expect(seen(await patch(name, { spec: { infra: bad } }))).toEqual([400, "api.invalid"]);
    await patch(name, { metadata: { labels: { a: "b" } } });
    expect(checked).toMatchObject([
      { kind: "Network", cloud: "aws" },
      { overrides: { locals: { a: 1 } } },
      { overrides: { locals: { a: 1 }, module: {} } },
    ]);
  });
});

describe("X032 the risky effects that a change allows", () => {
  test("are part of its operation", async () => {
    const name = nextName();
    const created = await createNetwork({}, { name });
    expect((await readOperation(api, created)).spec["allow"]).toEqual([]);
    const answer = await patch(name, { spec: { infra: { approval: "always" } } }, { query: "?allow=replace" });
    expect((await readOperation(api, answer)).spec).toMatchObject({ verb: "update", allow: ["replace"] });
  });

  test.each([
    ["networks/net?allow=destroy", "api.invalid"],
    ["networks/net?allow=replace,replace", "api.invalid"],
    ["networks/net?allow=replace&allow=delete", "api.bad_query"],
    ["accounts/main?allow=replace", "api.bad_query"],
  ])("are rejected in %s", async (path, code) => {
    const answer = await api.call("PATCH", `${base}/${path}`, { body: { metadata: { labels: { a: "b" } } } });
    expect(seen(answer)).toEqual([400, code]);
  });
});
