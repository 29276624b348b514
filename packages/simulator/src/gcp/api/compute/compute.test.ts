import { listOf, objectOf, textOf } from "@cloudwright/platform";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeConditions } from "../../../cloud/conditions.ts";
import { callProvider } from "../../../testing/call-provider.ts";
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
const compute = `/compute/v1/projects/${project}`;
const zone = `${compute}/zones/us-central1-a`;
const machine = `${zone}/instances/vm`;
const sourceImage = "projects/debian-cloud/global/images/family/debian-12";
const body = {
  name: "vm",
  machineType: "zones/us-central1-a/machineTypes/e2-small",
  disks: [{ boot: true, autoDelete: true, initializeParams: { sourceImage } }],
  networkInterfaces: [{ network: "global/networks/default" }],
};
const insert = (change: object = {}, query = "") => call("POST", `${zone}/instances${query}`, { ...body, ...change });

async function statusNow(): Promise<unknown> {
  return (await call("GET", machine)).body["status"];
}

test("M146 a machine is created with its disk, stopped, started and deleted with its disk", async () => {
  const { body: operation } = await insert();
  expect(operation).toMatchObject({ kind: "compute#operation", operationType: "insert", status: "RUNNING", progress: 0 });
  expect(await statusNow()).toBe("STAGING");
  expect((await call("POST", `${machine}/stop`)).reasons).toEqual(["resourceNotReady"]);
  gcp.advance(60_000);
  expect(await statusNow()).toBe("RUNNING");
  const { body: disk } = await call("GET", `${zone}/disks/vm`);
  expect(disk).toMatchObject({ sizeGb: "10", status: "READY", users: [expect.stringContaining("/instances/vm")] });
  expect(textOf(disk["sourceImage"])).toContain("/debian-12-bookworm-v");
  expect((await call("DELETE", `${zone}/disks/vm`)).reasons).toEqual(["resourceInUseByAnotherResource"]);
  await call("POST", `${machine}/stop`);
  expect(await statusNow()).toBe("STOPPING");
  gcp.advance(60_000);
  expect(await statusNow()).toBe("TERMINATED");
  await call("POST", `${machine}/start`);
  gcp.advance(60_000);
  expect(await statusNow()).toBe("RUNNING");
  await call("DELETE", machine);
  expect(await statusNow()).toBe("STOPPING");
  gcp.advance(60_000);
  expect((await call("GET", machine)).reasons).toEqual(["notFound"]);
  expect((await call("GET", `${zone}/disks`)).body["items"]).toBeUndefined();
});

test("M140 a repeated request ID does not create a second machine, and one that is used for another request is refused", async () => {
  const query = "?requestId=11111111-2222-4333-8444-555555555555";
  const [first, again] = [await insert({}, query), await insert({}, query)];
  expect(again.body["name"]).toBe(first.body["name"]);
  expect((await insert({ name: "other" }, query)).reasons).toEqual(["invalid"]);
  expect((await insert({}, "?requestId=x")).reasons).toEqual(["invalid"]);
  expect((await insert()).reasons).toEqual(["alreadyExists"]);
  expect(await gcp.inventory.list("a", "google_compute_instance")).toHaveLength(1);
});

test.each([
  ["an unknown machine type", { machineType: "zones/us-central1-a/machineTypes/e9-small" }, 400, "invalid"],
  [
    "an unknown image",
    { disks: [{ boot: true, initializeParams: { sourceImage: "projects/x/global/images/y" } }] },
    400,
    "invalid",
  ],
  ["no boot disk", { disks: [] }, 400, "badRequest"],
  ["no network", { networkInterfaces: [] }, 400, "badRequest"],
  ["a network that does not exist", { networkInterfaces: [{ network: "global/networks/none" }] }, 404, "notFound"],
  ["a wrong name", { name: "Not A Name" }, 400, "invalid"],
  ["wrong labels", { labels: { Team: "a" } }, 400, "invalid"],
  ["no fields at all", { name: undefined, disks: undefined, machineType: null }, 400, "badRequest"],
])("M149 a machine with %s is refused and leaves nothing behind", async (_what, change, status, reason) => {
  expect(await insert(change)).toMatchObject({ status, reasons: [reason] });
  expect((await gcp.inventory.list("a")).filter(({ type }) => type.startsWith("google_"))).toEqual([]);
});

test("M149 requests beyond a full zone or an exhausted quota are refused with Compute Engine's own codes", async () => {
  await changeConditions(gcp.inventory, "a", { fullZones: ["us-central1-a"] });
  expect(await insert()).toMatchObject({ status: 503, reasons: ["ZONE_RESOURCE_POOL_EXHAUSTED"] });
  await changeConditions(gcp.inventory, "a", { fullZones: [], quotas: { "vcpus-per-region": 1 } });
  expect(await insert()).toMatchObject({ status: 403, reasons: ["quotaExceeded"] });
});

test("M146 lists are filtered and come in pages, even across all zones", async () => {
  await changeConditions(gcp.inventory, "a", { timeScale: 0 });
  for (const name of ["vm-1", "vm-2", "web-1"]) await insert({ name, labels: { team: name.split("-")[0] } });
  const names = async (filter: string): Promise<unknown> => {
    const reply = await call("GET", `${zone}/instances?filter=${encodeURIComponent(filter)}`);
    const items = (reply.body["items"] ?? []) as readonly { readonly name: string }[];
    return reply.status === 200 ? items.map(({ name }) => name) : reply.status;
  };
  expect(await names('labels.team = "vm"')).toEqual(["vm-1", "vm-2"]);
  expect(await names('(labels.team = "vm") AND (name = "vm-2")')).toEqual(["vm-2"]);
  expect(await names('name = "vm-1" OR name = "web-1"')).toEqual(["vm-1", "web-1"]);
  expect(await names("name eq vm-.*")).toEqual(["vm-1", "vm-2"]);
  expect(await names("labels.team:* name")).toBe(400);
  expect(await names("((((")).toBe(400);
  expect(await names(`name eq ${"(a+)+".repeat(300)}$`)).toBe(400);
  const pages: unknown[] = [];
  let token = "";
  do {
    const { body: page } = await call("GET", `${compute}/aggregated/instances?maxResults=2&pageToken=${token}`);
    const scopes = Object.values(objectOf(page["items"])).map(objectOf);
    pages.push(scopes.flatMap(({ instances }) => listOf(instances).map((each) => textOf(objectOf(each)["name"]))));
    token = textOf(page["nextPageToken"]);
  } while (token !== "");
  expect(pages).toEqual([["vm-1", "vm-2"], ["web-1"]]);
  for (const query of ["maxResults=-1", "maxResults=501", "maxResults=x", "pageToken=forged"])
    expect((await call("GET", `${zone}/instances?${query}`)).status).toBe(400);
});

test("M149 new machines appear late in lists", async () => {
  await changeConditions(gcp.inventory, "a", { lagMs: 30_000, timeScale: 1 });
  await insert();
  const list = async (): Promise<unknown> => (await call("GET", `${zone}/instances`)).body["items"];
  expect(await list()).toBeUndefined();
  expect((await call("GET", machine)).status).toBe(200);
  gcp.advance(31_000);
  expect(await list()).toHaveLength(1);
});

test("M150 X020 a machine that Terraform built is listed, and stopping it through the API is drift for Terraform", async () => {
  await changeConditions(gcp.inventory, "a", { timeScale: 0 });
  const config = { project, region: "us-central1", zone: "us-central1-a" };
  const terraform = callProvider(gcpProvider, { config, inventory: gcp.inventory });
  const wanted = {
    name: "vm",
    machine_type: "e2-small",
    desired_status: "RUNNING",
    boot_disk: [{ initialize_params: [{ image: "debian-cloud/debian-12", size: 20 }] }],
    network_interface: [{ network: "default", access_config: [{}] }],
  };
  const { state, said } = await terraform.create("google_compute_instance", wanted);
  expect(said).toEqual([]);
  expect((await call("GET", machine)).body).toMatchObject({
    status: "RUNNING",
    machineType: expect.stringContaining("e2-small") as string,
    disks: [{ boot: true, diskSizeGb: "20" }],
    networkInterfaces: [{ accessConfigs: [{ natIP: expect.stringContaining("203.0.113.") as string }] }],
  });
  await call("POST", `${machine}/stop`);
  const refreshed = await terraform.read("google_compute_instance", state ?? {});
  expect(refreshed.state).toMatchObject({ current_status: "TERMINATED", desired_status: "TERMINATED" });
  const fixed = await terraform.update("google_compute_instance", refreshed.state ?? {}, wanted);
  expect(fixed.said).toEqual([]);
  expect(await statusNow()).toBe("RUNNING");
  expect((await terraform.remove("google_compute_instance", fixed.state ?? {})).said).toEqual([]);
  expect(await gcp.inventory.list("a", "google_compute_disk")).toEqual([]);
});
