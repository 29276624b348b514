import { objectOf, textOf } from "@cloudwright/platform";
import { afterEach, beforeEach, expect, test } from "vitest";
import { callProvider } from "../../../testing/call-provider.ts";
import { changeConditions } from "../../../cloud/conditions.ts";
import { gcpProvider } from "../../provider.ts";
import { openGcp, type GcpClient, type GcpUnderTest } from "../testing/open-gcp.ts";

let gcp: GcpUnderTest;
let call: GcpClient;

beforeEach(async () => {
  gcp = await openGcp();
  call = gcp.connect(await gcp.tokenOf("a"));
});
afterEach(() => gcp.close());

const project = "acme-project-1";
const location = `/v1/projects/${project}/locations/us-central1`;
const clusters = `${location}/clusters`;
const dev = `${clusters}/dev`;
const nodePools = [{ name: "first", initialNodeCount: 1, config: { machineType: "e2-standard-4" } }];
const create = (change: object = {}) => call("POST", clusters, { cluster: { name: "dev", nodePools, ...change } });

async function read(path = dev): Promise<Readonly<Record<string, unknown>>> {
  return (await call("GET", path)).body;
}

test("M141 a cluster is in progress until its operation is done, and has no endpoint until then", async () => {
  const { body: operation } = await create({ initialClusterVersion: "1.33" });
  expect(operation).toMatchObject({ operationType: "CREATE_CLUSTER", status: "RUNNING", location: "us-central1" });
  const name = textOf(operation["name"]);
  expect(await read()).toMatchObject({ status: "PROVISIONING", nodePools: [{ name: "first", status: "PROVISIONING" }] });
  expect((await read())["endpoint"]).toBeUndefined();
  const busy = await call("POST", `${dev}/nodePools`, { nodePool: { name: "second", initialNodeCount: 1 } });
  expect(busy).toMatchObject({ status: 400, reasons: ["failedPrecondition"] });
  expect(objectOf(busy.body["error"])).toMatchObject({ status: "FAILED_PRECONDITION" });
  expect(textOf(objectOf(busy.body["error"])["message"])).toContain(name);
  gcp.advance(500_000);
  expect(await read(`${location}/operations/${name}`)).toMatchObject({ status: "DONE" });
  const ready = await read();
  expect(ready).toMatchObject({ status: "RUNNING", currentNodeCount: 3, nodePools: [{ status: "RUNNING" }] });
  expect(textOf(ready["currentMasterVersion"])).toMatch(/^1\.33\./);
  expect(textOf(ready["endpoint"])).not.toBe("");
  expect((await create()).reasons).toEqual(["alreadyExists"]);
});

test("M141 a deleted cluster exists until its operation ends, and its node pools are deleted with it", async () => {
  await create();
  gcp.advance(500_000);
  await call("DELETE", dev);
  expect(await read()).toMatchObject({ status: "STOPPING" });
  gcp.advance(500_000);
  expect((await call("GET", dev)).reasons).toEqual(["notFound"]);
  expect(await gcp.inventory.list("a", "google_container_node_pool")).toEqual([]);
});

test("M141 a cluster whose node pool is refused is not created", async () => {
  const refused = await create({
    nodePools: [...nodePools, { name: "bad", initialNodeCount: 1, config: { machineType: "x9" } }],
  });
  expect(refused).toMatchObject({ status: 400, reasons: ["badRequest"] });
  expect((await call("GET", dev)).status).toBe(404);
  expect((await gcp.inventory.list("a")).filter(({ type }) => type.startsWith("google_"))).toEqual([]);
  for (const cluster of [
    { name: "" },
    { name: "UPPER" },
    { nodePools: [] },
    { initialClusterVersion: "1.2" },
    { initialNodeCount: 1 },
  ])
    expect((await create(cluster)).status).toBe(400);
});

test("M141 labels are replaced only with their current fingerprint", async () => {
  await create({ resourceLabels: { team: "a", old: "x" } });
  gcp.advance(500_000);
  const set = (labelFingerprint: unknown) =>
    call("POST", `${dev}:setResourceLabels`, { resourceLabels: { team: "b" }, labelFingerprint });
  expect((await set("stale")).reasons).toEqual(["conditionNotMet"]);
  expect((await set((await read())["labelFingerprint"])).status).toBe(200);
  expect((await read())["resourceLabels"]).toEqual({ team: "b" });
});

test("M145 node pools are scaled, upgraded and changed one at a time", async () => {
  await create({ initialClusterVersion: "1.32" });
  gcp.advance(500_000);
  const pool = `${dev}/nodePools/first`;
  await call("POST", `${pool}:setSize`, { nodeCount: 2 });
  expect((await call("POST", `${pool}:setSize`, { nodeCount: 3 })).reasons).toEqual(["failedPrecondition"]);
  expect(await read()).toMatchObject({ status: "RECONCILING" });
  gcp.advance(100_000);
  const [url = ""] = (await read(pool))["instanceGroupUrls"] as readonly string[];
  expect(await read(new URL(url).pathname)).toMatchObject({ targetSize: 2 });
  const tooNew = await call("PUT", pool, { nodeVersion: "1.33" });
  expect(tooNew.status).toBe(400);
  await call("POST", `${dev}:updateMaster`, { masterVersion: "1.33" });
  gcp.advance(500_000);
  await call("PUT", pool, { nodeVersion: "1.33", imageType: "COS_CONTAINERD" });
  gcp.advance(500_000);
  expect(textOf((await read(pool))["version"])).toMatch(/^1\.33\./);
  expect((await call("POST", `${dev}:updateMaster`, { masterVersion: "1.35" })).status).toBe(400);
});

test("M163 X020 a cluster that Terraform built is listed, and changes through the API are drift for Terraform", async () => {
  await changeConditions(gcp.inventory, "a", { timeScale: 0 });
  const config = { project, region: "us-central1" };
  const terraform = callProvider(gcpProvider, { config, inventory: gcp.inventory });
  const cluster = { name: "built", location: "us-central1", initial_node_count: 1, resource_labels: { team: "a" } };
  const { state } = await terraform.create("google_container_cluster", cluster);
  const pool = { name: "workers", cluster: "built", location: "us-central1", node_count: 1 };
  await terraform.create("google_container_node_pool", pool);
  expect(await read(`/v1/projects/${project}/locations/-/clusters`)).toMatchObject({
    clusters: [{ name: "built", status: "RUNNING", resourceLabels: { team: "a" }, nodePools: [{ name: "workers" }] }],
  });
  const { labelFingerprint } = await read(`${clusters}/built`);
  await call("POST", `${clusters}/built:setResourceLabels`, { resourceLabels: { team: "b" }, labelFingerprint });
  const refreshed = await terraform.read("google_container_cluster", state ?? {});
  expect(refreshed.state).toMatchObject({ resource_labels: { team: "b" } });
  // Terraform's own protection does not apply to other clients.
  expect((await call("DELETE", `${clusters}/built`)).status).toBe(200);
  expect((await gcp.inventory.list("a")).filter(({ type }) => type.startsWith("google_"))).toEqual([]);
});

test("X020 two tenants can have clusters of the same name in projects of the same name", async () => {
  await create();
  const other = gcp.connect(await gcp.tokenOf("b"));
  expect((await other("GET", dev)).status).toBe(404);
  expect((await other("DELETE", dev)).status).toBe(404);
  expect((await other("GET", clusters)).body).toEqual({});
  expect((await other("POST", clusters, { cluster: { name: "dev", nodePools } })).status).toBe(200);
  expect(await gcp.inventory.list("a", "google_container_cluster")).toHaveLength(1);
});
