import type { JsonObject } from "@cloudwright/contract";
import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

const project = "direct";
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  await api.createProject(project);
});
afterAll(() => api.close());

const at = (collection: string, name = "") => `/v1/projects/${project}/${collection}${name === "" ? "" : `/${name}`}`;

async function createNetwork(cloud: (typeof cloudNames)[number]): Promise<void> {
  await api.must("POST", at("accounts"), { body: { metadata: { name: cloud }, spec: { simulated: true, [cloud]: {} } } });
  const region = getCloud(cloud).regions.default;
  await api.must("POST", at("networks"), { body: { metadata: { name: cloud }, spec: { account: cloud, region } } });
}

const post = (name: string, spec: JsonObject) => api.call("POST", at("clusters"), { body: { metadata: { name }, spec } });

test("M072 a cluster is built directly only in clouds that support it, and the provisioner never changes", async () => {
  const clouds = cloudNames.filter((cloud) => getCloud(cloud).regions.default !== "");
  for (const cloud of clouds) await createNetwork(cloud);
  const created = await post("one", { network: "aws", provisioner: "direct" });
  expect([created.status, created.body.spec["provisioner"]]).toEqual([202, "direct"]);
  const isDirect = (cloud: (typeof cloudNames)[number]) => getCloud(cloud).provisioners.includes("direct");
  for (const cloud of clouds.filter(isDirect))
    expect([cloud, (await post(`two-${cloud}`, { network: cloud, provisioner: "direct" })).status]).toEqual([cloud, 202]);
  for (const cloud of clouds.filter((each) => !isDirect(each))) {
    const refused = await post(`two-${cloud}`, { network: cloud, provisioner: "direct" });
    expect([refused.status, refused.body.fields.map(({ field }) => field)]).toEqual([400, ["spec.provisioner"]]);
    expect(refused.body.fields[0]?.message).toContain("supported: terraform");
  }
  const unknown = await post("three", { network: "aws", provisioner: "pulumi" });
  expect([unknown.status, unknown.body.code]).toEqual([400, "api.invalid"]);

  for (const provisioner of ["terraform", ""]) {
    const changed = await api.call("PATCH", at("clusters", "one"), { body: { spec: { provisioner } } });
    expect([changed.status, changed.body.fields.map(({ field }) => field)]).toEqual([400, ["spec.provisioner"]]);
  }
  await post("four", { network: "aws" });
  const moved = await api.call("PATCH", at("clusters", "four"), { body: { spec: { provisioner: "direct" } } });
  expect(moved.status).toBe(400);
  // Setting the default value explicitly does not count as a change.
  const same = await api.must("PATCH", at("clusters", "four"), { body: { spec: { provisioner: "terraform" } } });
  expect(same.body.metadata.generation).toBe(1);
});

test("M120 a cluster without workers is refused where the cloud's service requires some", async () => {
  for (const cloud of cloudNames.filter((each) => getCloud(each).regions.default !== "")) {
    const least = getCloud(cloud).leastWorkers?.count ?? 0;
    for (const provisioner of getCloud(cloud).provisioners) {
      const refused = await post(`none-${cloud}-${provisioner}`, { network: cloud, provisioner, workers: 0 });
      expect([cloud, refused.status]).toEqual([cloud, least === 0 ? 202 : 400]);
      if (least === 0) continue;
      expect(refused.body.fields).toMatchObject([
        { field: "spec.workers", message: expect.stringContaining(`at least ${least}`) as string },
      ]);
      expect((await post(`some-${cloud}-${provisioner}`, { network: cloud, provisioner, workers: least })).status).toBe(202);
    }
  }
});

test("M072 Terraform's own settings and self-managed control planes are refused for direct clusters, approval and drift are not", async () => {
  const direct = { network: "aws", provisioner: "direct" };
  const refused: JsonObject[] = [
    { infra: { version: "v1.0.0" } },
    { infra: { overrides: { locals: {} } } },
    { infra: { backend: { type: "pg", settings: {} } } },
    { controlPlaneNodes: 3 },
  ];
  for (const [index, spec] of refused.entries()) {
    const answer = await post(`refused-${index}`, { ...direct, ...spec });
    expect([index, answer.status, answer.body.code]).toEqual([index, 400, "api.invalid"]);
  }
  const infra = { approval: "always", drift: "correct", ignore: [{ address: "aws_eks_node_group.*", path: "scaling_config" }] };
  expect((await post("allowed", { ...direct, infra })).status).toBe(202);
  const later = await api.call("PATCH", at("clusters", "allowed"), { body: { spec: { infra: { version: "v1.0.0" } } } });
  expect([later.status, later.body.code]).toEqual([400, "api.invalid"]);
});
