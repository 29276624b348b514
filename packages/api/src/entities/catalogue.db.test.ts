import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedProject } from "../testing/seed-project.ts";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import type { Judge } from "./judge.ts";

const project = "catalogued";
const base = `/v1/projects/${project}`;

/** Warns about every cluster. The warning contains characters that must be escaped in headers. */
const judge: Judge = {
  entity: ({ kind }) =>
    kind === "Cluster"
      ? [
          {
            rule: "supported",
            severity: "should",
            message: "1.33 läuft aus → upgrade",
            path: "spec.version",
            fix: "Choose 1.34.",
          },
        ]
      : [],
  plan: () => [],
};

let api: TestApi;
let ada: Person;

beforeAll(async () => {
  const catalogue = {
    regions: new Set(["aws:eu-west-99"]),
    machineTypes: new Set(["aws:q1.large"]),
    kubernetesVersions: new Set(["aws:1.98"]),
  };
  api = await startTestApi({ judge, catalogue });
  await api.createProject(project);
  ada = await api.createPerson("ada", [{ project, role: "admin" }]);
  await seedProject(api, project, { suffix: "seed", user: ada });
});
afterAll(() => api.close());

describe("X013 a name that the cloud does not have is rejected at once, also by a dry run:", () => {
  const cases = [
    ["networks", { account: "account-seed", region: "eu-west-9" }, "spec.region"],
    ["networks", { account: "account-seed", region: "eu-wset-1" }, "spec.region"],
    ["clusters", { network: "network-seed", version: "1.99" }, "spec.version"],
    ["clusters", { network: "network-seed", version: "v1.12.3" }, "spec.version"],
    ["clusters", { network: "network-seed", instanceType: "t9.huge" }, "spec.instanceType"],
    ["clusters/cluster-seed/nodepools", { min: 0, desired: 1, max: 1, instanceType: "t3.mediun" }, "spec.instanceType"],
  ] as const;

  test.each(cases)("%s %j", async (collection, spec, field) => {
    for (const query of ["", "?dryRun=true"]) {
      const { status, body } = await api.call("POST", `${base}/${collection}${query}`, {
        body: { metadata: { name: "wrong" }, spec },
      });
      expect([status, body.code, body.fields.map((one: { field: string }) => one.field)]).toEqual([400, "api.invalid", [field]]);
    }
  });

  test("an update or upgrade to it", async () => {
    const path = `${base}/clusters/cluster-seed`;
    expect((await api.call("PATCH", path, { body: { spec: { instanceType: "t9.huge" } } })).status).toBe(400);
    expect((await api.call("POST", `${path}:upgrade`, { body: { version: "1.99" } })).body.code).toBe("api.invalid");
    expect((await api.call("POST", `${path}:upgrade`, { body: { version: "1.99", dryRun: true } })).body.code).toBe(
      "api.invalid",
    );
  });

  test("but names that an operator added are accepted", async () => {
    const spec = { account: "account-seed", region: "eu-west-99" };
    expect((await api.call("POST", `${base}/networks?dryRun=true`, { body: { metadata: { name: "new" }, spec } })).status).toBe(
      200,
    );
    const cluster = { network: "network-seed", version: "1.98", instanceType: "q1.large" };
    const body = { metadata: { name: "new" }, spec: cluster };
    expect((await api.call("POST", `${base}/clusters?dryRun=true`, { body })).status).toBe(200);
  });

  test("and an entity with a retired version can still be changed", async () => {
    const text =
      "update entity set object = jsonb_set(object::jsonb, '{spec,version}', '\"1.20\"')::json where name = 'cluster-seed' and kind = 'Cluster'";
    await api.pool.query({ text, values: [] });
    expect((await api.call("PATCH", `${base}/clusters/cluster-seed`, { body: { spec: { workers: 4 } } })).status).toBe(202);
  });
});

describe("M222 a policy warning reaches the caller in the response", () => {
  const warning = "spec.version: 1.33 läuft aus → upgrade (supported). Choose 1.34.";
  const read = (headers: Record<string, unknown>): unknown =>
    JSON.parse((headers["cloudwright-warnings"] as string | undefined) ?? "[]");
  const body = { metadata: { name: "warned" }, spec: { network: "network-seed", version: "1.33" } };

  test("of create, update, preview, upgrade and their dry runs", async () => {
    expect(read((await api.call("POST", `${base}/clusters?dryRun=true`, { body })).headers)).toEqual([warning]);
    expect(read((await api.call("POST", `${base}/clusters`, { body })).headers)).toEqual([warning]);
    const path = `${base}/clusters/warned`;
    expect(read((await api.call("PATCH", path, { body: { spec: { workers: 5 } } })).headers)).toEqual([warning]);
    expect(read((await api.call("PUT", path, { body })).headers)).toEqual([warning]);
    const change = { spec: { version: "1.34" } };
    expect(read((await api.call("POST", `${path}:preview`, { body: change })).headers)).toEqual([warning]);
    expect(read((await api.call("POST", `${path}:upgrade`, { body: { version: "1.34" } })).headers)).toEqual([warning]);
    expect(read((await api.call("GET", path)).headers)).toEqual([]);
  });

  test("over Connect too", async () => {
    const entity = { ...body, metadata: { name: "connected" } };
    const { headers, status } = await fetch(`${api.url}/cloudwright.v1.ClusterService/CreateCluster`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${ada.key}` },
      body: JSON.stringify({ project, entity }),
    });
    expect([status, JSON.parse(headers.get("cloudwright-warnings") ?? "[]")]).toEqual([200, [warning]]);
  });
});
