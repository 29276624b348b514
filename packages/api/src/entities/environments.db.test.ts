import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import type { TestAnswer } from "../testing/http-call.ts";

const base = "/v1/projects/default";

let api: TestApi;
let ada: Person;
let owner: Person;

beforeAll(async () => {
  api = await startTestApi();
  for (const name of ["staging", "prod"]) await api.must("POST", `${base}/environments`, { body: { metadata: { name } } });
  for (const environment of ["staging", "prod", ""]) await createChain(environment || "shared", environment);
  ada = await api.createPerson("ada", [{ project: "default", role: "editor", environment: "staging" }]);
  owner = await api.createPerson("olga", [
    { project: "default", role: "owner", environment: "staging" },
    { project: "default", role: "viewer", environment: "prod" },
  ]);
});
afterAll(() => api.close());

/** Creates an account, a network and a cluster. The network and the cluster inherit the account's environment. */
async function createChain(name: string, environment: string): Promise<void> {
  await api.must("POST", `${base}/accounts`, { body: { metadata: { name, environment }, spec: { simulated: true, aws: {} } } });
  await api.must("POST", `${base}/networks`, { body: { metadata: { name }, spec: { account: name } } });
  await api.must("POST", `${base}/clusters`, { body: { metadata: { name }, spec: { network: name } } });
}

async function names(path: string, key: string): Promise<string[]> {
  return (await api.must("GET", `${base}/${path}`, { key })).body.items.map(({ metadata }) => metadata.name ?? "");
}

function outcome({ status, body }: TestAnswer): string {
  return status < 300 ? String(status) : `${status} ${body.code}`;
}

describe("M029 an environment", () => {
  test("groups entities, and children inherit their parent's", async () => {
    const { body } = await api.must("GET", `${base}/clusters/staging`);
    expect(body.metadata.environment).toBe("staging");
    const { items } = (await api.must("GET", `${base}/clusters?filter=metadata.environment%3Dprod`)).body;
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["prod"]);
  });

  test("counts its members by kind and phase when it is read", async () => {
    const members = [
      { kind: "Account", phase: "PENDING", count: 1 },
      { kind: "Cluster", phase: "PENDING", count: 1 },
      { kind: "Network", phase: "PENDING", count: 1 },
      { kind: "RoleBinding", phase: "RUNNING", count: 1 },
    ];
    expect((await api.must("GET", `${base}/environments/prod`)).body.status["members"]).toEqual(members);
    const { items } = (await api.must("GET", `${base}/environments`)).body;
    expect(items.map(({ metadata, status }) => [metadata.name, (status["members"] as unknown[]).length])).toEqual([
      ["prod", 4],
      ["staging", 4],
    ]);
  });

  test("can be referenced by uid and is stored by name; a missing one is rejected", async () => {
    const { uid = "" } = (await api.must("GET", `${base}/environments/prod`)).body.metadata;
    const path = `${base}/accounts/mover`;
    await api.must("POST", `${base}/accounts`, {
      body: { metadata: { name: "mover", environment: uid }, spec: { simulated: true, aws: {} } },
    });
    expect((await api.must("GET", path)).body.metadata.environment).toBe("prod");
    const before = await api.countStored();
    await api.must("PATCH", path, { body: { metadata: { environment: uid } } });
    const unknown = await api.call("PATCH", path, { body: { metadata: { environment: "nowhere" } } });
    expect([unknown.status, unknown.body.fields[0]?.field]).toEqual([400, "metadata.environment"]);
    expect(await api.countStored()).toEqual(before);
  });

  test("stays when a PUT omits it, and is removed when it is set to empty", async () => {
    const path = `${base}/accounts/mover`;
    expect((await api.must("PUT", path, { body: { spec: { simulated: true, aws: {} } } })).body.metadata.environment).toBe(
      "prod",
    );
    expect((await api.must("PATCH", path, { body: { metadata: { environment: "" } } })).body.metadata.environment).toBe("");
    await api.must("DELETE", path);
  });

  test("cannot be deleted while an entity belongs to it, even if both happen at the same time", async () => {
    const used = await api.call("DELETE", `${base}/environments/prod`);
    expect(outcome(used)).toBe("409 store.in_use");
    for (let round = 0; round < 5; round += 1) {
      const name = `brief-${round}`;
      await api.must("POST", `${base}/environments`, { body: { metadata: { name } } });
      const [deleted, created] = await Promise.all([
        api.call("DELETE", `${base}/environments/${name}`),
        api.call("POST", `${base}/agents`, { body: { metadata: { name, environment: name } } }),
      ]);
      const won = [deleted, created].map(({ status }) => status < 300);
      expect(won.filter(Boolean)).toHaveLength(1);
      expect([deleted, created].map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    }
  });
});

describe("M029 M008 a role in one environment", () => {
  test("lists only entities in that environment", async () => {
    for (const path of ["accounts", "networks", "clusters"]) {
      expect(await names(path, ada.key)).toEqual(["staging"]);
      expect(await names(path, owner.key)).toEqual(["prod", "staging"]);
    }
    expect(await names("environments", ada.key)).toEqual(["staging"]);
  });

  test("reads and changes entities in it; all others appear not to exist", async () => {
    const get = async (name: string, key: string): Promise<string> =>
      outcome(await api.call("GET", `${base}/clusters/${name}`, { key }));
    expect([await get("staging", ada.key), await get("prod", ada.key), await get("shared", ada.key)]).toEqual([
      "200",
      "404 api.not_found",
      "404 api.not_found",
    ]);
    const patch = async (name: string, key: string): Promise<string> =>
      outcome(await api.call("PATCH", `${base}/clusters/${name}`, { key, body: { spec: { workers: 3 } } }));
    expect([await patch("staging", ada.key), await patch("prod", ada.key)]).toEqual(["202", "404 api.not_found"]);
    expect([await patch("staging", owner.key), await patch("prod", owner.key)]).toEqual(["200", "403 api.denied"]);
  });

  test("reveals no more by uid than by name", async () => {
    const { uid = "" } = (await api.must("GET", `${base}/clusters/prod`)).body.metadata;
    const answer = await api.call("GET", `${base}/clusters/${uid}`, { key: ada.key });
    expect([outcome(answer), answer.body.detail]).toEqual(["404 api.not_found", `Cluster "${uid}" not found`]);
  });

  test("creates only in it, and only below entities in it", async () => {
    const create = async (name: string, metadata: object, network: string): Promise<string> =>
      outcome(
        await api.call("POST", `${base}/clusters`, {
          key: ada.key,
          body: { metadata: { name, ...metadata }, spec: { network } },
        }),
      );
    expect(await create("mine", {}, "staging")).toBe("202");
    expect(await create("theirs", {}, "prod")).toBe("400 api.invalid");
    expect(await create("moved", { environment: "prod" }, "staging")).toBe("403 api.denied");
    const agent = await api.call("POST", `${base}/agents`, { key: owner.key, body: { metadata: { name: "whole" } } });
    expect(outcome(agent)).toBe("403 api.denied");
  });

  test("cannot move an entity out of it", async () => {
    const move = (environment: string): Promise<TestAnswer> =>
      api.call("PATCH", `${base}/clusters/mine`, { key: ada.key, body: { metadata: { environment } } });
    expect([outcome(await move("prod")), outcome(await move(""))]).toEqual(["403 api.denied", "403 api.denied"]);
  });

  test("grants roles only in it", async () => {
    const give = async (environment: string): Promise<string> => {
      const body = { metadata: { name: `given-${environment || "all"}`, environment }, spec: { user: "ada", role: "owner" } };
      return outcome(await api.call("POST", `${base}/rolebindings`, { key: owner.key, body }));
    };
    expect([await give("staging"), await give("prod"), await give("")]).toEqual(["201", "403 api.denied", "403 api.denied"]);
    await api.must("DELETE", `${base}/rolebindings/given-staging`);
  });

  test("is not enough for the project itself, its events or its audit log", async () => {
    const key = owner.key;
    expect(outcome(await api.call("GET", base, { key }))).toBe("200");
    expect(outcome(await api.call("PATCH", base, { key, body: { spec: { description: "mine" } } }))).toBe("403 api.denied");
    expect(outcome(await api.call("DELETE", `${base}?cascade=true`, { key }))).toBe("403 api.denied");
    expect(outcome(await api.call("GET", `${base}/events`, { key }))).toBe("403 api.denied");
    expect(outcome(await api.call("GET", `${base}/auditrecords`, { key }))).toBe("403 api.denied");
  });

  test("cannot delete an entity that has descendants in another environment", async () => {
    await api.must("POST", `${base}/networks`, {
      body: { metadata: { name: "astray", environment: "prod" }, spec: { account: "staging" } },
    });
    const admin = await api.createPerson("adam", [{ project: "default", role: "admin", environment: "staging" }]);
    const answer = await api.call("DELETE", `${base}/accounts/staging?cascade=true`, { key: admin.key });
    expect(outcome(answer)).toBe("403 api.denied");
    expect((await api.call("GET", `${base}/networks/astray`)).status).toBe(200);
    await api.must("DELETE", `${base}/networks/astray`);
  });

  test("is shown with its permissions and the environments to which they apply", async () => {
    type Permission = { verb: string; kind: string; allowed: boolean; environments: string[] };
    const { items } = (await api.must("GET", `${base}/permissions`, { key: ada.key })).body as unknown as { items: Permission[] };
    const find = (verb: string, kind: string): Permission | undefined =>
      items.find((item) => item.verb === verb && item.kind === kind);
    expect(find("update", "Cluster")).toMatchObject({ allowed: false, environments: ["staging"] });
    expect(find("delete", "Account")).toMatchObject({ allowed: false, environments: [] });
    expect(find("create", "ApiKey")).toMatchObject({ allowed: true });
  });

  test("X002 watches entities in it, and sees entities enter and leave it", async () => {
    const watcher = await api.createPerson("walter", [{ project: "default", role: "viewer", environment: "staging" }]);
    const stream = await api.watch(`${base}/clusters?watch=true`, { key: watcher.key });
    const synced = await stream.until(({ type }) => type === "SYNCED");
    expect(new Set(synced.map(({ data }) => data.object.metadata.name))).toEqual(new Set(["mine", "staging", undefined]));
    const move = (name: string, environment: string) =>
      api.must("PATCH", `${base}/clusters/${name}`, { body: { metadata: { environment } } });
    await move("prod", "staging");
    await move("mine", "prod");
    await move("mine", "");
    await move("prod", "prod");
    await api.must("PATCH", `${base}/clusters/staging`, { body: { metadata: { labels: { last: "yes" } } } });
    const seen = await stream.until(({ data }) => data.object.metadata.labels?.["last"] === "yes");
    stream.close();
    expect(seen.map(({ type, data }) => `${type} ${data.object.metadata.name}`)).toEqual([
      "ADDED prod",
      "DELETED mine",
      "DELETED prod",
      "MODIFIED staging",
    ]);
  });
});
