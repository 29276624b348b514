import type { JsonObject } from "@cloudwright/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endTask, markBuilt, seedTask } from "../testing/seed-run.ts";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

let api: TestApi;
const base = "/v1/projects/default";
const regions = { aws: "eu-west-1", gcp: "europe-west1", azure: "westeurope" } as const;

beforeAll(async () => {
  api = await startTestApi();
  for (const [cloud, region] of Object.entries(regions)) {
    const create = (collection: string, spec: JsonObject) =>
      api.must("POST", `${base}/${collection}`, { body: { metadata: { name: cloud }, spec } });
    await create("accounts", { simulated: true, [cloud]: {} });
    await create("networks", { account: cloud, region });
    await create("clusters", { network: cloud });
  }
});
afterAll(() => api.close());

const pool = { min: 1, desired: 1, max: 1 };
const poolOf = (cloud: keyof typeof regions): string => `clusters/${cloud}/nodepools`;
const volume = (cluster: keyof typeof regions, settings: JsonObject): JsonObject => ({ cluster, volume: settings });
const bucket = (cluster: keyof typeof regions, settings: JsonObject): JsonObject => ({ cluster, bucket: settings });
const gpus = (instanceType: string, accelerator: string, acceleratorCount: number): JsonObject => ({
  ...pool,
  instanceType,
  gcp: { accelerator, acceleratorCount },
});

describe("X013 a setting that the cloud does not accept is rejected immediately, even in a dry run:", () => {
  type Case = [collection: string, spec: JsonObject, field: string, name?: string];
  const cases: Case[] = [
    [poolOf("azure"), { ...pool, capacity: "spot", azure: { system: true } }, "spec.capacity"],
    [poolOf("azure"), { ...pool, min: 0, desired: 0, azure: { system: true } }, "spec.desired"],
    [poolOf("azure"), { ...pool, azure: { maxPods: 9 } }, "spec.azure.maxPods"],
    [poolOf("azure"), { ...pool, instanceTypes: ["Standard_D2s_v5", "Standard_D4s_v5"] }, "spec.instanceTypes"],
    [poolOf("azure"), { ...pool, diskSizeGib: 29 }, "spec.diskSizeGib"],
    [poolOf("azure"), { ...pool, diskSizeGib: 2049 }, "spec.diskSizeGib"],
    [poolOf("azure"), { ...pool, azure: { spotMaxPrice: "0.05" } }, "spec.azure.spotMaxPrice"],
    [poolOf("gcp"), pool, "metadata.name", "a".repeat(31)],
    [poolOf("gcp"), { ...pool, instanceTypes: ["e2-standard-2", "e2-standard-4"] }, "spec.instanceTypes"],
    [poolOf("gcp"), { ...pool, diskSizeGib: 9 }, "spec.diskSizeGib"],
    [poolOf("gcp"), gpus("", "nvidia-l4", 1), "spec.gcp.accelerator"],
    [poolOf("gcp"), gpus("n2-standard-4", "nvidia-tesla-t4", 1), "spec.gcp.accelerator"],
    [poolOf("gcp"), gpus("g2-standard-4", "nvidia-tesla-t4", 1), "spec.gcp.accelerator"],
    [poolOf("gcp"), gpus("g2-standard-24", "nvidia-l4", 1), "spec.gcp.acceleratorCount"],
    [poolOf("gcp"), gpus("n1-standard-4", "nvidia-tesla-t4", 3), "spec.gcp.acceleratorCount"],
    ["storages", bucket("aws", { azure: { redundancy: "geo" } }), "spec.bucket.azure"],
    ["storages", bucket("gcp", { azure: { redundancy: "geo" } }), "spec.bucket.azure"],
    ["storages", bucket("gcp", { versioning: true, replication: { bucket: "b" } }), "spec.bucket.replication"],
    ["storages", bucket("gcp", { encryptionKey: "arn:aws:kms:eu-west-1:1:key/a" }), "spec.bucket.encryptionKey"],
    ["storages", bucket("gcp", {}), "metadata.name", "my-google-logs"],
    ["storages", bucket("azure", { versioning: true, replication: { bucket: "b" } }), "spec.bucket.replication"],
    ["storages", bucket("azure", { policy: {} }), "spec.bucket.policy"],
    ["storages", bucket("azure", { abortUploadsAfterDays: 3 }), "spec.bucket.abortUploadsAfterDays"],
    ["storages", volume("azure", { sizeGib: 10, finalSnapshot: true }), "spec.volume.finalSnapshot"],
    ["storages", volume("azure", { sizeGib: 10, type: "gp3" }), "spec.volume.type"],
    ["storages", volume("azure", { sizeGib: 32_768 }), "spec.volume.sizeGib"],
    ["storages", volume("gcp", { sizeGib: 10, type: "gp3" }), "spec.volume.type"],
    ["storages", volume("gcp", { sizeGib: 499, type: "pd-extreme" }), "spec.volume.sizeGib"],
    ["storages", volume("gcp", { sizeGib: 10, iops: 3000 }), "spec.volume.iops"],
    ["storages", volume("aws", { sizeGib: 10, type: "pd-ssd" }), "spec.volume.type"],
    ["storages", volume("aws", { sizeGib: 16_385, type: "gp2" }), "spec.volume.sizeGib"],
    ["storages", volume("aws", { sizeGib: 10, type: "io2" }), "spec.volume.iops"],
    ["storages", volume("aws", { sizeGib: 10, iops: 6000 }), "spec.volume.iops"],
    ["storages", volume("aws", { sizeGib: 100, throughputMib: 1000 }), "spec.volume.throughputMib"],
    [
      "storages",
      bucket("aws", { lifecycleRules: [{ id: "a", transitions: [{ afterDays: 30, storageClass: "NEARLINE" }] }] }),
      "spec.bucket.lifecycleRules[0].transitions[0].storageClass",
    ],
  ];

  test.each<Case>(cases)("%s %j", async (collection, spec, field, name = "wrong") => {
    for (const query of ["", "?dryRun=true"]) {
      const { status, body } = await api.call("POST", `${base}/${collection}${query}`, { body: { metadata: { name }, spec } });
      expect([status, body.code, body.fields?.map((one: { field: string }) => one.field)]).toEqual([400, "api.invalid", [field]]);
    }
  });

  test("but settings within the limits are accepted", async () => {
    const accepted: readonly (readonly [collection: string, spec: JsonObject, name?: string])[] = [
      [poolOf("azure"), { ...pool, diskSizeGib: 30, azure: { system: true, maxPods: 10 } }, "a-pool-with-a-long-name"],
      [poolOf("gcp"), { ...pool, diskSizeGib: 10 }, "a".repeat(30)],
      [poolOf("gcp"), gpus("g2-standard-24", "nvidia-l4", 2)],
      [poolOf("gcp"), gpus("n1-standard-8", "nvidia-tesla-v100", 8)],
      [poolOf("aws"), { ...pool, instanceTypes: ["t3.large", "t3.medium"], diskSizeGib: 1 }],
      ["storages", volume("aws", { sizeGib: 65_536, iops: 80_000, throughputMib: 2000 })],
      ["storages", volume("gcp", { sizeGib: 1 })],
      ["storages", volume("azure", { sizeGib: 32_767 })],
      ["storages", bucket("azure", { azure: { redundancy: "geo" }, abortUploadsAfterDays: 7 })],
    ];
    for (const [collection, spec, name = "right"] of accepted) {
      const { status, body } = await api.call("POST", `${base}/${collection}?dryRun=true`, {
        body: { metadata: { name }, spec },
      });
      expect({ spec, status, code: body.code }).toEqual({ spec, status: 200, code: undefined });
    }
  });
});

test("X013 a stored setting that the cloud does not accept does not block other changes", async () => {
  const path = `${base}/${poolOf("gcp")}/small`;
  const { body } = await api.must("POST", `${base}/${poolOf("gcp")}`, { body: { metadata: { name: "small" }, spec: pool } });
  const text = "update entity set object = jsonb_set(object::jsonb, '{spec,diskSizeGib}', '9')::json where uid = $1";
  await api.pool.query({ text, values: [body.metadata.uid] });
  expect((await api.call("PATCH", path, { body: { spec: { max: 3 } } })).status).toBe(202);
  expect((await api.call("PATCH", path, { body: { spec: { diskSizeGib: 8 } } })).body.code).toBe("api.invalid");
});

test("M138 a configuration version older than the one in use is rejected; without a successful run every version is possible", async () => {
  const path = `${base}/networks/aws`;
  const { body } = await api.must("GET", path);
  const change = (version: string, query = "") =>
    api.call("PATCH", `${path}${query}`, { body: { spec: { infra: { version } } } });
  expect((await change("v1.0.0", "?dryRun=true")).status).toBe(200);
  const task = await seedTask(api, body.metadata.uid ?? "", { type: "network.apply" });
  await endTask(api, task, "done", { state: "done", result: { infra_version: "v1.10.0" } });
  for (const query of ["", "?dryRun=true"]) {
    const { status, body: refusal } = await change("v1.9.0", query);
    expect([status, refusal.code, refusal.fields[0]?.field]).toEqual([400, "api.invalid", "spec.infra.version"]);
  }
  for (const version of ["v1.10.0", "v1.11.0", ""]) expect((await change(version, "?dryRun=true")).status).toBe(200);
});

test("M137 the lock of an applied bucket cannot be removed or shortened where the cloud does not allow it", async () => {
  const objectLock = { mode: "COMPLIANCE", days: 30 };
  for (const cloud of ["gcp", "azure"] as const) {
    const name = `locked-${cloud}`;
    const path = `${base}/storages/${name}`;
    const spec = bucket(cloud, { versioning: true, objectLock });
    const { body } = await api.must("POST", `${base}/storages`, { body: { metadata: { name }, spec } });
    const remove = (query: string) => api.call("PATCH", `${path}${query}`, { body: { spec: { bucket: { objectLock: null } } } });
    expect((await remove("?dryRun=true")).status).toBe(200);
    await markBuilt(api, body.metadata.uid ?? "");
    const { status, body: refusal } = await remove("?dryRun=true");
    expect([status, refusal.fields?.[0]?.field]).toEqual([400, "spec.bucket.objectLock"]);
    const shorter = { spec: { bucket: { objectLock: { days: 29 } } } };
    expect((await api.call("PATCH", path, { body: shorter })).body.code).toBe("api.invalid");
    const longer = { spec: { bucket: { objectLock: { days: 31 } } } };
    expect((await api.call("PATCH", path, { body: longer })).status).toBe(202);
  }
});

describe("M235 X013 an add-on version that contains a path or an option is rejected by the API:", () => {
  const hostile = [
    "../x",
    "1.0/../../../tmp/evil",
    "..\\x",
    "/etc/passwd",
    "--repo",
    "-1",
    "1.0 2.0",
    ".5",
    "v1\n",
    "a".repeat(65),
  ];

  test.each(hostile)("%j", async (version) => {
    const spec = { addOns: [{ name: "metrics-server", version }] };
    const requests: readonly (readonly [method: "POST" | "PATCH" | "PUT", path: string, body: JsonObject])[] = [
      ["POST", `${base}/clusters`, { metadata: { name: "hostile" }, spec: { network: "aws", ...spec } }],
      ["POST", `${base}/clusters?dryRun=true`, { metadata: { name: "hostile" }, spec: { network: "aws", ...spec } }],
      ["PATCH", `${base}/clusters/aws`, { spec }],
      ["PUT", `${base}/clusters/aws`, { metadata: { name: "aws" }, spec: { network: "aws", ...spec } }],
    ];
    for (const [method, path, body] of requests) {
      const answer = await api.call(method, path, { body });
      const fields = answer.body.fields?.map((one: { field: string }) => one.field);
      expect([method, path, answer.status, fields]).toEqual([method, path, 400, ["spec.addOns[0].version"]]);
    }
    expect((await api.call("GET", `${base}/clusters/hostile`)).status).toBe(404);
    expect((await api.must("GET", `${base}/clusters/aws`)).body.spec["addOns"]).toEqual([]);
  });
});
