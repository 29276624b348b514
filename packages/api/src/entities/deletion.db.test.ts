import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { getSeed, localKey, seedProject, type Seeds } from "../testing/seed-project.ts";

let api: TestApi;
let project: string;
let seeds: Seeds;
let made = 0;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

beforeEach(async () => {
  made += 1;
  project = `p-${made}`;
  await api.createProject(project);
  seeds = await seedProject(api, project, { suffix: "x", user: await api.createPerson(`user-${made}`) });
});

function pathOf(collection: string, name: string): string {
  return `/v1/projects/${project}/${collection}/${name}`;
}

/** Lists the kinds of the entities that are left, without those in the account of the user's own machines. */
async function kindsLeft(): Promise<string[]> {
  const local = ["Account", "Network", "Instance"].map((kind) => getSeed(seeds, localKey(kind)).uid);
  const { rows } = await api.pool.query<{ kind: string }>({
    text: "select kind from entity where project = $1 and uid <> all($2::uuid[])",
    values: [project, local],
  });
  return rows.map(({ kind }) => kind).toSorted();
}

const chain = ["Account", "Cluster", "Instance", "Network", "NodePool", "Storage"];

describe("M024 deletion", () => {
  test.each([
    ["accounts", "account-x", 5],
    ["networks", "network-x", 4],
    ["clusters", "cluster-x", 2],
  ])("of %s/%s with %d below it is rejected and changes nothing", async (collection, name, below) => {
    const before = await api.countStored();
    const answer = await api.call("DELETE", pathOf(collection, name));
    expect([answer.status, answer.body.code]).toEqual([409, "api.has_children"]);
    expect(answer.body.detail).toContain(`has ${below} ${below === 1 ? "entity" : "entities"} below it`);
    expect(await api.countStored()).toEqual(before);
  });

  test("works from the leaves up", async () => {
    const leavesFirst = [
      "storages/storage-x",
      "clusters/cluster-x/nodepools/nodepool-x",
      "clusters/cluster-x",
      "instances/instance-x",
      "networks/network-x",
      "accounts/account-x",
    ];
    for (const path of leavesFirst) {
      const { body } = await api.must("DELETE", `/v1/projects/${project}/${path}`);
      expect(body.metadata.name).toBe(path.split("/").at(-1));
      expect((await api.call("GET", `/v1/projects/${project}/${path}`)).status).toBe(404);
    }
    expect(chain.some((kind) => seeds.has(kind))).toBe(true);
    expect((await kindsLeft()).filter((kind) => chain.includes(kind))).toEqual([]);
  });

  test("with a cascade deletes everything below it and nothing else, children first, each with its event", async () => {
    const left = await kindsLeft();
    const stream = await api.watch(`/v1/projects/${project}/watch`);
    await stream.until(({ type }) => type === "SYNCED");
    await api.must("DELETE", `${pathOf("accounts", "account-x")}?cascade=true`);
    const frames = await stream.until(({ type, data }) => type === "DELETED" && data.kind === "Account");
    stream.close();
    const gone = frames.filter(({ type }) => type === "DELETED").map(({ data }) => data.kind);
    expect(gone.toSorted()).toEqual(chain);
    for (const [parent, child] of [
      ["Account", "Network"],
      ["Network", "Cluster"],
      ["Network", "Instance"],
      ["Cluster", "NodePool"],
      ["Cluster", "Storage"],
    ] as const) {
      expect(gone.indexOf(child)).toBeLessThan(gone.indexOf(parent));
    }
    expect(await kindsLeft()).toEqual(left.filter((kind) => !chain.includes(kind)));
    const { items } = (await api.must("GET", `/v1/projects/${project}/events?filter=reason%3DDeleted`)).body;
    expect((items as unknown as { kind: string }[]).map(({ kind }) => kind).toSorted()).toEqual(chain);
  });

  test("with a cascade and an old resourceVersion is rejected", async () => {
    const path = pathOf("accounts", "account-x");
    const { resourceVersion } = (await api.must("GET", path)).body.metadata;
    await api.must("PATCH", path, { body: { metadata: { labels: { a: "b" } } } });
    const answer = await api.call("DELETE", `${path}?cascade=true&resourceVersion=${resourceVersion}`);
    expect([answer.status, answer.body.code]).toEqual([409, "store.stale"]);
    expect(await kindsLeft()).toEqual(expect.arrayContaining(chain));
  });

  test("of a project with a cascade deletes everything in it; without a cascade it is rejected", async () => {
    const refused = await api.call("DELETE", `/v1/projects/${project}`);
    expect([refused.status, refused.body.code]).toEqual([409, "api.has_children"]);
    await api.must("DELETE", `/v1/projects/${project}?cascade=true`);
    const { rows } = await api.pool.query({ text: "select 1 from entity where project = $1", values: [project] });
    expect(rows).toEqual([]);
    expect((await api.call("GET", `/v1/projects/${project}`)).status).toBe(404);
    expect((await api.call("GET", `/v1/projects/${project}/accounts`)).status).toBe(404);
  });

  test("of the project `system` is rejected", async () => {
    const answer = await api.call("DELETE", "/v1/projects/system?cascade=true");
    expect([answer.status, answer.body.code]).toEqual([400, "api.invalid"]);
    expect((await api.call("GET", "/v1/whoami")).status).toBe(200);
  });

  test("of a user with keys and roles is rejected; with a cascade all of them are deleted at once", async () => {
    const { name, key } = await api.createPerson(`leaver-${made}`, [{ project, role: "editor" }]);
    expect((await api.call("GET", `/v1/projects/${project}/accounts`, { key })).status).toBe(200);
    const refused = await api.call("DELETE", `/v1/users/${name}`);
    expect([refused.status, refused.body.code]).toEqual([409, "api.has_children"]);
    const before = await kindsLeft();
    await api.must("DELETE", `/v1/users/${name}?cascade=true`);
    expect((await api.call("GET", `/v1/projects/${project}/accounts`, { key })).status).toBe(401);
    expect((await api.call("GET", `/v1/apikeys/${name}-key`)).status).toBe(404);
    expect((await kindsLeft()).length).toBe(before.length - 1);
    expect(getSeed(seeds, "RoleBinding").name).toBe(
      (await api.must("GET", pathOf("rolebindings", "rolebinding-x"))).body.metadata.name,
    );
  });

  test("during concurrent changes either happens completely or not at all", async () => {
    const path = pathOf("clusters", "cluster-x");
    const [deleted, ...patched] = await Promise.all([
      api.call("DELETE", `${path}?cascade=true`),
      ...Array.from({ length: 4 }, (_, index) => api.call("PATCH", path, { body: { spec: { workers: index } } })),
    ]);
    expect(deleted?.status).toBe(200);
    // A PATCH that repeats the current value changes nothing and starts no work, so it returns 200.
    for (const { status } of patched) expect([200, 202, 404]).toContain(status);
    expect((await kindsLeft()).filter((kind) => kind === "Cluster" || kind === "NodePool" || kind === "Storage")).toEqual([]);
  });
});
