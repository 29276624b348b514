import { listOf, objectOf, textOf } from "@cloudwright/platform";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeConditions } from "../../../cloud/conditions.ts";
import { openGcp, type GcpClient, type GcpUnderTest } from "../testing/open-gcp.ts";

let gcp: GcpUnderTest;
let call: GcpClient;

beforeEach(async () => {
  gcp = await openGcp();
  await changeConditions(gcp.inventory, "a", { timeScale: 0 });
  call = gcp.connect(await gcp.tokenOf("a"));
});
afterEach(() => gcp.close());

const zone = "/compute/v1/projects/acme-project-1/zones/us-central1-a";
const sourceImage = "projects/debian-cloud/global/images/family/debian-12";
const diskOf = (name: string, place = "us-central1-a") => `projects/acme-project-1/zones/${place}/disks/${name}`;
const createMachine = (name: string) =>
  call("POST", `${zone}/instances`, {
    name,
    machineType: "zones/us-central1-a/machineTypes/e2-small",
    disks: [{ boot: true, autoDelete: true, initializeParams: { sourceImage } }],
    networkInterfaces: [{ network: "global/networks/default" }],
  });
const attach = (machine: string, name: string, more: object = {}) =>
  call("POST", `${zone}/instances/${machine}/attachDisk`, { source: diskOf(name), deviceName: name, ...more });
const listDevices = async (machine: string): Promise<string[]> =>
  listOf((await call("GET", `${zone}/instances/${machine}`)).body["disks"]).map((disk) => textOf(objectOf(disk)["deviceName"]));

test("M206 a disk is attached to one instance at a time, and it outlives the instance", async () => {
  for (const name of ["one", "two"]) await createMachine(name);
  await call("POST", `${zone}/disks`, { name: "data", sizeGb: "10" });
  expect((await attach("one", "data")).status).toBe(200);
  expect(await listDevices("one")).toEqual(["persistent-disk-0", "data"]);
  expect((await call("GET", `${zone}/disks/data`)).body["users"]).toEqual([expect.stringContaining("/instances/one")]);
  expect((await attach("two", "data")).reasons).toEqual(["resourceInUseByAnotherResource"]);
  expect((await call("DELETE", `${zone}/disks/data`)).reasons).toEqual(["resourceInUseByAnotherResource"]);
  expect((await call("POST", `${zone}/instances/two/detachDisk?deviceName=data`)).reasons).toEqual(["invalid"]);
  await call("POST", `${zone}/instances/one/detachDisk?deviceName=data`);
  expect(await listDevices("one")).toEqual(["persistent-disk-0"]);
  expect((await attach("two", "data")).status).toBe(200);
  await call("DELETE", `${zone}/instances/two`);
  expect((await call("GET", `${zone}/disks/data`)).body["users"]).toBeUndefined();
  expect((await call("DELETE", `${zone}/disks/data`)).status).toBe(200);
});

test("M149 impossible attachments are refused with Compute Engine's own reasons", async () => {
  await createMachine("one");
  for (const name of ["data", "more"]) await call("POST", `${zone}/disks`, { name, sizeGb: "10" });
  await attach("one", "data");
  const refusals: readonly (readonly [change: object, reason: string])[] = [
    [{ source: diskOf("none") }, "notFound"],
    [{ source: diskOf("more", "us-central1-b") }, "invalid"],
    [{ source: diskOf("more"), deviceName: "data" }, "invalid"],
    [{ source: diskOf("more"), deviceName: "a b" }, "invalid"],
    [{ source: diskOf("one") }, "resourceInUseByAnotherResource"],
  ];
  for (const [change, reason] of refusals)
    expect([change, (await attach("one", "x", change)).reasons]).toEqual([change, [reason]]);
  await changeConditions(gcp.inventory, "a", { timeScale: 1 });
  await call("POST", `${zone}/instances/one/stop`);
  expect((await attach("one", "more")).reasons).toEqual(["resourceNotReady"]);
});

test("M206 a disk grows and never shrinks", async () => {
  await call("POST", `${zone}/disks`, { name: "data", sizeGb: "10" });
  const resize = (sizeGb: unknown) => call("POST", `${zone}/disks/data/resize`, { sizeGb });
  expect((await resize("20")).status).toBe(200);
  expect((await call("GET", `${zone}/disks/data`)).body["sizeGb"]).toBe("20");
  for (const size of ["20", "10", "x", null]) expect([size, (await resize(size)).reasons]).toEqual([size, ["invalid"]]);
});

test("M149 concurrent requests attach every disk, and each disk once", async () => {
  for (const name of ["one", "two"]) await createMachine(name);
  const names = ["a", "b", "c"];
  for (const name of names) await call("POST", `${zone}/disks`, { name, sizeGb: "10" });
  await Promise.all(names.flatMap((name) => [attach("one", name), attach("two", name)]));
  const attached = [...(await listDevices("one")), ...(await listDevices("two"))].filter((name) => names.includes(name));
  expect(attached.toSorted()).toEqual(names);
});
