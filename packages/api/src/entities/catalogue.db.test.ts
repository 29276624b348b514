import type { JsonObject } from "@cloudwright/contract";
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
  plan: () => Promise.resolve([]),
};

let api: TestApi;
let ada: Person;

beforeAll(async () => {
  const catalogue = {
    regions: new Set(["aws:eu-west-99"]),
    zones: new Set(["aws:eu-west-1x"]),
    machineTypes: new Set(["aws:q1.large"]),
    kubernetesVersions: new Set(["aws:1.98", "azure:1.36", "azure:1.34.9"]),
  };
  api = await startTestApi({ judge, catalogue });
  await api.createProject(project);
  ada = await api.createPerson("ada", [{ project, role: "admin" }]);
  await seedProject(api, project, { suffix: "seed", user: ada });
  for (const [cloud, region] of [
    ["gcp", "europe-west1"],
    ["azure", "westeurope"],
  ] as const) {
    const create = (collection: string, spec: JsonObject) =>
      api.must("POST", `${base}/${collection}`, { body: { metadata: { name: cloud }, spec } });
    await create("accounts", { simulated: true, [cloud]: {} });
    await create("networks", { account: cloud, region });
    await create("clusters", { network: cloud });
  }
  await api.must("POST", `${base}/networks`, {
    body: { metadata: { name: "zoneless" }, spec: { account: "azure", region: "westus" } },
  });
  await api.must("POST", `${base}/clusters`, { body: { metadata: { name: "zoneless" }, spec: { network: "zoneless" } } });
});
afterAll(() => api.close());

describe("X013 a name that the cloud does not have is rejected immediately, even in a dry run:", () => {
  const pool = { min: 0, desired: 1, max: 1 };
  const cases: readonly (readonly [collection: string, spec: JsonObject, field: string])[] = [
    ["networks", { account: "account-seed", region: "eu-west-9" }, "spec.region"],
    ["networks", { account: "account-seed", region: "eu-wset-1" }, "spec.region"],
    ["clusters", { network: "network-seed", version: "1.99" }, "spec.version"],
    ["clusters", { network: "network-seed", version: "v1.12.3" }, "spec.version"],
    ["clusters", { network: "network-seed", version: "1.34.99" }, "spec.version"],
    ["clusters", { network: "network-seed", version: "1.34.3" }, "spec.version"],
    ["clusters", { network: "gcp", version: "1.34.99" }, "spec.version"],
    ["clusters", { network: "gcp", version: "1.34.3-gke.1" }, "spec.version"],
    ["clusters", { network: "azure", version: "v1.34.99" }, "spec.version"],
    ["clusters", { network: "azure", version: "1.35.1" }, "spec.version"],
    ["clusters", { network: "network-seed", instanceType: "t9.huge" }, "spec.instanceType"],
    ["networks", { account: "account-seed", region: "us-east-1", zones: ["a", "us-east-1z"] }, "spec.zones[1]"],
    ["networks", { account: "account-seed", region: "us-east-1", zones: ["eu-west-1a"] }, "spec.zones[0]"],
    ["networks", { account: "account-seed", region: "us-east-1", aws: { natZone: "us-east-1q" } }, "spec.aws.natZone"],
    ["networks", { account: "gcp", region: "europe-west1", zones: ["europe-west1-q"] }, "spec.zones[0]"],
    ["networks", { account: "azure", region: "westeurope", zones: ["9"] }, "spec.zones[0]"],
    ["networks", { account: "azure", region: "westus", zones: ["1"] }, "spec.zones[0]"],
    ["clusters", { network: "gcp", gcp: { zone: "a" } }, "spec.gcp.zone"],
    ["clusters/cluster-seed/nodepools", { ...pool, zones: ["z"] }, "spec.zones[0]"],
    ["clusters/gcp/nodepools", { ...pool, zones: ["b", "europe-west1-q"] }, "spec.zones[1]"],
    ["clusters/azure/nodepools", { ...pool, zones: ["westeurope-9"] }, "spec.zones[0]"],
    ["clusters/zoneless/nodepools", { ...pool, zones: ["1"] }, "spec.zones[0]"],
    ["storages", { cluster: "azure", volume: { sizeGib: 10, zone: "7" } }, "spec.volume.zone"],
    ["clusters/cluster-seed/nodepools", { min: 0, desired: 1, max: 1, instanceType: "t3.mediun" }, "spec.instanceType"],
    ["networks", { account: "account-seed", region: "us-east-1", cidr: "127.0.0.0/16" }, "spec.cidr"],
    ["networks", { account: "gcp", region: "europe-west1", cidr: "169.254.0.0/16" }, "spec.cidr"],
    ["networks", { account: "gcp", region: "europe-west1", cidr: "224.0.0.0/16" }, "spec.cidr"],
    ["networks", { account: "gcp", region: "europe-west1", gcp: { podCidr: "127.0.0.0/16" } }, "spec.gcp.podCidr"],
    ["networks", { account: "azure", region: "westeurope", cidr: "168.63.128.0/18" }, "spec.cidr"],
    ["networks", { account: "azure", region: "westeurope", cidr: "172.31.0.0/16" }, "spec.cidr"],
    ["clusters/gcp/nodepools", { ...pool, aws: { bottlerocketSettings: "[settings]" } }, "spec.aws"],
    ["clusters/azure/nodepools", { ...pool, gcp: { image: "cos" } }, "spec.gcp"],
    ["clusters/cluster-seed/nodepools", { ...pool, azure: { system: true } }, "spec.azure"],
  ];

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

  test("and the message names the value and what is offered", async () => {
    const messageOf = async (collection: string, spec: JsonObject): Promise<string> =>
      (await api.call("POST", `${base}/${collection}?dryRun=true`, { body: { metadata: { name: "wrong" }, spec } })).body
        .fields[0]?.message ?? "";
    expect(await messageOf("clusters", { network: "network-seed", version: "1.34.99" })).toMatch(
      /1\.34\.99.*EKS.*1\.34\.0 to 1\.34\.2/,
    );
    expect(await messageOf("clusters", { network: "gcp", version: "1.34.99" })).toMatch(/1\.34\.99.*GKE.*1\.34\.0 to 1\.34\.3/);
    expect(await messageOf("clusters", { network: "azure", version: "1.34.99" })).toMatch(/1\.34\.99.*AKS.*1\.34\.0 to 1\.34\.2/);
    const zone = await messageOf("networks", { account: "azure", region: "westeurope", zones: ["9"] });
    expect(zone).toMatch(/"9".*westeurope-1, westeurope-2, westeurope-3/);
  });

  test("X013 but each cloud accepts ranges that only another cloud reserves", async () => {
    for (const [account, region, cidr] of [
      ["account-seed", "us-east-1", "172.31.0.0/16"],
      ["gcp", "europe-west1", "168.63.128.0/18"],
      ["azure", "westeurope", "199.36.153.0/24"],
    ] as const) {
      const body = { metadata: { name: "right" }, spec: { account, region, cidr } };
      const { status, body: draft } = await api.call("POST", `${base}/networks?dryRun=true`, { body });
      expect({ status, cidr: draft.spec?.["cidr"] }).toEqual({ status: 200, cidr });
    }
  });

  test("and a simulated account has only the zones of the catalogue", async () => {
    const spec = { account: "simulated", region: "us-west-1", zones: ["b"] };
    await api.must("POST", `${base}/accounts`, { body: { metadata: { name: "simulated" }, spec: { simulated: true, aws: {} } } });
    const key = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "0123456789012345678901234567890123456789" };
    await api.must("POST", `${base}/accounts`, { body: { metadata: { name: "real" }, spec: { aws: key } } });
    const create = async (account: string, zones: string[]): Promise<number> =>
      (
        await api.call("POST", `${base}/networks?dryRun=true`, {
          body: { metadata: { name: "n" }, spec: { ...spec, account, zones } },
        })
      ).status;
    expect(await create("simulated", ["b"])).toBe(400);
    expect(await create("real", ["b", "us-west-1-lax-1a"])).toBe(200);
    expect(await create("real", ["us-west-1z"])).toBe(400);
  });

  test("and a patch version that exists is accepted with a warning that the cloud chooses the patch version", async () => {
    for (const [network, version] of [
      ["network-seed", "v1.29.0"],
      ["network-seed", "1.34.2"],
      ["gcp", "1.34.3"],
      ["azure", "v1.34.0"],
      ["azure", "1.34.9"],
      ["azure", "1.36.7"],
    ] as const) {
      const body = { metadata: { name: "patched" }, spec: { network, version } };
      const { status, headers } = await api.call("POST", `${base}/clusters?dryRun=true`, { body });
      expect([network, version, status]).toEqual([network, version, 200]);
      expect(JSON.parse(String(headers["cloudwright-warnings"]))[0]).toMatch(`which may not be ${version.replace("v", "")}`);
    }
  });

  test("but names that an operator added are accepted", async () => {
    const spec = { account: "account-seed", region: "eu-west-99" };
    expect((await api.call("POST", `${base}/networks?dryRun=true`, { body: { metadata: { name: "new" }, spec } })).status).toBe(
      200,
    );
    const zoned = { account: "account-seed", region: "eu-west-1", zones: ["a", "x"] };
    const network = { metadata: { name: "zoned" }, spec: zoned };
    expect((await api.call("POST", `${base}/networks?dryRun=true`, { body: network })).status).toBe(200);
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

describe("M222 the response includes policy warnings", () => {
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
