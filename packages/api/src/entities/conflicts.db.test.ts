import type { JsonObject } from "@cloudwright/contract";
import { prune } from "@cloudwright/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import type { TestAnswer } from "../testing/http-call.ts";

let api: TestApi;
let made = 0;

const environments = "/v1/projects/default/environments";
const accounts = "/v1/projects/default/accounts";
const networks = "/v1/projects/default/networks";

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

function freshName(): string {
  made += 1;
  return `e-${made}`;
}

async function createOne(): Promise<{ path: string; name: string; version: string }> {
  const name = freshName();
  const { body } = await api.must("POST", environments, { body: { metadata: { name } } });
  return { path: `${environments}/${name}`, name, version: body.metadata.resourceVersion ?? "" };
}

function inParallel<Result>(times: number, work: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => work(index)));
}

function countBy(answers: readonly TestAnswer[]): Record<string, number> {
  const outcomes = answers.map(({ status, body }) => (status < 300 ? String(status) : `${status} ${body.code}`));
  return Object.fromEntries(outcomes.map((outcome) => [outcome, outcomes.filter((other) => other === outcome).length]));
}

async function auditOf(name: string): Promise<Record<string, number>> {
  const { rows } = await api.pool.query<{ outcome: string; count: number }>({
    text: "select outcome, count(*)::int as count from audit where name = $1 group by 1",
    values: [name],
  });
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]));
}

describe("M011 concurrent identical creates", () => {
  test("one succeeds, the others get a conflict, and each is audited", async () => {
    const body = { metadata: { name: freshName() } };
    const answers = await inParallel(12, () => api.call("POST", environments, { body }));
    expect(countBy(answers)).toEqual({ 201: 1, "409 store.exists": 11 });
    const { items } = (await api.must("GET", `/v1/projects/default/events?filter=name=${body.metadata.name}`)).body;
    expect(items).toHaveLength(1);
    expect(await auditOf(body.metadata.name)).toEqual({ allowed: 1, failed: 11 });
  });

  test("all succeed if they are for different kinds or projects", async () => {
    const name = freshName();
    await api.createProject("other");
    const paths = [environments, "/v1/projects/default/agents", "/v1/projects/other/environments"];
    const answers = await Promise.all(paths.map((path) => api.call("POST", path, { body: { metadata: { name } } })));
    expect(countBy(answers)).toEqual({ 201: 3 });
  });

  test("all with the same Idempotency-Key return the one created entity", async () => {
    const headers = { "idempotency-key": "one" };
    const body = { metadata: { name: freshName() } };
    const answers = await inParallel(8, () => api.call("POST", environments, { body, headers }));
    expect(countBy(answers)).toEqual({ 201: 8 });
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(await auditOf(body.metadata.name)).toEqual({ allowed: 1 });
  });

  test("with PUT and allowMissing, one creates the entity and the others find it", async () => {
    const path = `${environments}/${freshName()}?allowMissing=true`;
    const answers = await inParallel(8, () => api.call("PUT", path, { body: { spec: { description: "same" } } }));
    expect(countBy(answers)).toEqual({ 200: 7, 201: 1 });
    expect(new Set(answers.map(({ body }) => body.metadata.uid)).size).toBe(1);
  });

  test("a PUT with allowMissing creates exactly the entity named in its path", async () => {
    const path = `${environments}/${freshName()}?allowMissing=true`;
    const before = await api.countStored();
    const body = { metadata: { name: freshName() } };
    expect(countBy([await api.call("PUT", path, { body })])).toEqual({ "400 api.invalid": 1 });
    expect(await api.countStored()).toEqual(before);
  });
});

describe("M011 an Idempotency-Key", () => {
  const create = (body: JsonObject, key: string, options: { path?: string; caller?: string } = {}): Promise<TestAnswer> => {
    const { path = environments, caller = api.adminKey } = options;
    return api.call("POST", path, { body, key: caller, headers: { "idempotency-key": key } });
  };

  test("that was used with another request is rejected", async () => {
    const name = freshName();
    await create({ metadata: { name } }, "two");
    const answer = await create({ metadata: { name: `${name}-x` } }, "two");
    expect([answer.status, answer.body.code]).toEqual([409, "store.key_reused"]);
    expect((await api.call("GET", `${environments}/${name}-x`)).status).toBe(404);
  });

  test("is scoped to its caller, project and kind", async () => {
    const owner = await api.createPerson("owner", [{ project: "default", role: "owner" }]);
    const body = { metadata: { name: freshName() } };
    const first = await create(body, "three");
    const others = [
      await create(body, "three", { caller: owner.key }),
      await create(body, "three", { path: "/v1/projects/system/environments" }),
      await create(body, "three", { path: "/v1/projects/default/agents" }),
    ];
    expect(others.map(({ status }) => status)).toEqual([409, 201, 201]);
    expect(new Set([first, ...others].map(({ body: { metadata } }) => metadata?.uid)).size).toBe(4);
  });

  test("is forgotten when its entity is deleted and when it expires", async () => {
    const body = { metadata: { name: freshName() } };
    const first = await create(body, "four");
    await api.must("DELETE", `${environments}/${body.metadata.name}`);
    const second = await create(body, "four");
    expect(second.status).toBe(201);
    expect(second.body.metadata.uid).not.toBe(first.body.metadata.uid);
    const [past, future] = ["1970-01-01T00:00:00Z", "2999-01-01T00:00:00Z"];
    await prune(api.pool, { changes: past, idempotency: future, now: past });
    expect(countBy([await create(body, "four")])).toEqual({ "409 store.exists": 1 });
  });

  test.each(["", "k".repeat(129)])("that is empty or too long is rejected (%#)", async (key) => {
    expect(countBy([await create({ metadata: { name: freshName() } }, key)])).toEqual({ "400 api.invalid": 1 });
  });
});

describe("M025 a change with a precondition", () => {
  test.each(["PUT", "PATCH"])("by %s with an old resourceVersion is rejected with the current one", async (method) => {
    const { path, version } = await createOne();
    const { body: now } = await api.must("PATCH", path, { body: { spec: { description: "newer" } } });
    const before = await api.countStored();
    const body = { metadata: { resourceVersion: version }, spec: { description: "mine" } };
    const answer = await api.call(method, path, { body });
    expect([answer.status, answer.body.code, answer.body.resourceVersion]).toEqual([
      409,
      "store.stale",
      now.metadata.resourceVersion,
    ]);
    expect(await api.countStored()).toEqual(before);
    expect((await api.must("GET", path)).body.spec["description"]).toBe("newer");
  });

  test.each(['"1"', 'W/"1"', "1", "nonsense", '"1", "2"'])("is rejected for the If-Match %s", async (value) => {
    const { path } = await createOne();
    const headers = { "if-match": value };
    const answers = [
      await api.call("PUT", path, { headers, body: {} }),
      await api.call("PATCH", path, { headers, body: {} }),
      await api.call("DELETE", path, { headers }),
    ];
    expect(countBy(answers)).toEqual({ "409 store.stale": 3 });
  });

  test("is carried out for the current ETag and for *", async () => {
    const { path } = await createOne();
    const { etag = "" } = (await api.must("GET", path)).headers;
    expect(etag).toMatch(/^"\d+"$/);
    const patch = (match: string, text: string): Promise<TestAnswer> =>
      api.call("PATCH", path, { headers: { "if-match": match }, body: { spec: { description: text } } });
    expect((await patch(etag, "first")).status).toBe(200);
    expect((await patch(etag, "second")).status).toBe(409);
    expect((await patch("*", "third")).status).toBe(200);
  });

  test("by DELETE is rejected for an old resourceVersion and carried out for the current one", async () => {
    const { path, version } = await createOne();
    const { body } = await api.must("PATCH", path, { body: { spec: { description: "newer" } } });
    const stale = await api.call("DELETE", `${path}?resourceVersion=${version}`);
    expect([stale.status, stale.body.resourceVersion]).toEqual([409, body.metadata.resourceVersion]);
    await api.must("DELETE", `${path}?resourceVersion=${body.metadata.resourceVersion}`);
  });

  test("is rejected if the entity was deleted and created again", async () => {
    const { path, name } = await createOne();
    const { body: former } = await api.must("GET", path);
    await api.must("DELETE", path);
    await api.must("POST", environments, { body: { metadata: { name } } });
    const answer = await api.call("PUT", path, { body: { metadata: { name, uid: former.metadata.uid ?? "" } } });
    expect(countBy([answer])).toEqual({ "409 store.stale": 1 });
  });

  test("succeeds once if several have the same resourceVersion at the same time", async () => {
    const { path, version } = await createOne();
    const answers = await inParallel(8, (index) =>
      api.call("PATCH", path, { body: { metadata: { resourceVersion: version }, spec: { description: String(index) } } }),
    );
    expect(countBy(answers)).toEqual({ 200: 1, "409 store.stale": 7 });
  });
});

test("M025 concurrent changes to different fields are all applied", async () => {
  const { path } = await createOne();
  const answers = await inParallel(6, (index) =>
    api.call("PATCH", path, { body: { metadata: { labels: { [`l${index}`]: "x" } } } }),
  );
  expect(countBy(answers)).toEqual({ 200: 6 });
  const { labels = {} } = (await api.must("GET", path)).body.metadata;
  expect(Object.keys(labels).toSorted()).toEqual(["l0", "l1", "l2", "l3", "l4", "l5"]);
});

test("M024 a child is never created below a parent that is deleted at the same time", async () => {
  for (let round = 0; round < 8; round += 1) {
    const name = freshName();
    await api.must("POST", accounts, { body: { metadata: { name }, spec: { simulated: true, aws: {} } } });
    const [child, parent] = await Promise.all([
      api.call("POST", networks, { body: { metadata: { name }, spec: { account: name } } }),
      api.call("DELETE", `${accounts}/${name}`),
    ]);
    const exist = await Promise.all([`${networks}/${name}`, `${accounts}/${name}`].map((path) => api.call("GET", path)));
    const outcome = [child.status === 202, parent.status !== 200];
    expect([outcome, exist.map(({ status }) => status === 200)]).toEqual([outcome, outcome]);
    expect(outcome).not.toEqual([true, false]);
  }
});
