import { Fault } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { toCloudFault } from "./refusals.ts";
import { openGoogle, project, region, type OpenGoogle } from "./testing/open-google.ts";

const owned = (part: string): string => `Managed by Cloudwright (cloudwright:entity=mine cloudwright:part=${part})`;
let google: OpenGoogle;
beforeAll(async () => {
  google = await openGoogle();
});
beforeEach(() => {
  google.server.refusals.clear();
});
afterAll(async () => {
  await google.server.close();
});

function put(id: string, resource: Readonly<Record<string, unknown>> = {}): void {
  google.server.resources.set(`projects/${project}/${id}`, resource);
}

test("M157 the view reads networks with the ranges of all their subnets, addresses and NAT gateways, with their owners", async () => {
  put("global/networks/main", { description: owned("this/network") });
  put("global/networks/default");
  const link = (name: string): string => `https://www.googleapis.com/compute/v1/projects/${project}/global/networks/${name}`;
  const secondary = [{ rangeName: "pods", ipCidrRange: "10.1.0.0/16" }];
  put(`regions/${region}/subnetworks/main`, { network: link("main"), ipCidrRange: "10.0.0.0/20", secondaryIpRanges: secondary });
  put("regions/us-east1/subnetworks/far", { network: link("default"), ipCidrRange: "10.128.0.0/20" });
  put(`regions/${region}/addresses/nat`, { addressType: "EXTERNAL", labels: { cloudwright_entity: "mine" } });
  put(`regions/${region}/addresses/inside`, { addressType: "INTERNAL" });
  put("global/addresses/web", { addressType: "EXTERNAL" });
  put(`regions/${region}/routers/main`, { description: owned("this/network"), nats: [{ name: "nat" }] });
  const { view } = google.open();
  expect(await view.listNetworks()).toEqual([
    { id: `projects/${project}/global/networks/main`, ranges: ["10.0.0.0/20", "10.1.0.0/16"], owner: "mine" },
    { id: `projects/${project}/global/networks/default`, ranges: ["10.128.0.0/20"] },
  ]);
  expect(await view.listPublicIps()).toEqual([{ owner: "mine" }, {}]);
  expect(await view.listNatGateways()).toEqual([{ zone: "", owner: "mine" }]);
  expect(await view.listInternetGateways()).toEqual([]);
});

test("M143 images are looked up by system and by path, and one that cannot be read is unknown", async () => {
  google.server.answers.set("GET compute/v1/projects/debian-cloud/global/images/family/debian-12", { name: "debian-12-v1" });
  put("global/images/own");
  const missing = { error: { code: 404, status: "NOT_FOUND", message: "The resource was not found" } };
  google.server.refusals.set(`GET compute/v1/projects/${project}/global/images/missing`, { status: 404, body: missing });
  const { view } = google.open();
  expect(await view.hasImage?.("debian-12", "e2-small")).toBe(true);
  expect(await view.hasImage?.("global/images/own", "e2-small")).toBe(true);
  expect(await view.hasImage?.("global/images/missing", "e2-small")).toBe(false);
  google.server.refusals.set("GET compute/v1/projects/theirs/global/images/private", {
    status: 403,
    body: { error: { code: 403, status: "PERMISSION_DENIED", message: "Required 'compute.images.get' permission" } },
  });
  expect(await view.hasImage?.("projects/theirs/global/images/private", "e2-small")).toBeUndefined();
});

test("M157 the vCPU quota for all regions also limits the region", async () => {
  expect(await google.open().view.getLimits()).toEqual({
    networks: 15,
    publicIps: 8,
    // 4 vCPUs are in use in this region, and 12 of 32 are still available across all regions.
    vcpus: 16,
    natGatewaysPerZone: Number.POSITIVE_INFINITY,
    internetGateways: Number.POSITIVE_INFINITY,
  });
});

test("X013 quotas for networks, disks and service accounts are read with their usage", async () => {
  const own = await openGoogle();
  const { resources, answers } = own.server;
  const { findUsage } = own.open().view;
  const metric = (name: string, limit: number, usage: number) => ({ metric: name, limit, usage });
  resources.set(`projects/${project}`, {
    quotas: [metric("SUBNETWORKS", 275, 3), metric("ROUTERS", 20, 2), metric("FIREWALLS", 200, 9)],
  });
  resources.set(`projects/${project}/regions/${region}`, {
    quotas: [metric("DISKS_TOTAL_GB", 4096, 10), metric("SSD_TOTAL_GB", 500, 20)],
  });
  const found = await Promise.all(
    (["subnets", "routers", "firewalls", "diskGiB", "ssdGiB"] as const).map(async (quota) => findUsage?.(quota)),
  );
  expect(found).toEqual([
    { limit: 275, used: 3 },
    { limit: 20, used: 2 },
    { limit: 200, used: 9 },
    { limit: 4096, used: 10 },
    { limit: 500, used: 20 },
  ]);
  answers.set(`GET iam_beta/v1/projects/${project}/serviceAccounts`, { accounts: [{ email: "a" }, { email: "b" }] });
  expect(await findUsage?.("serviceAccounts")).toEqual({ limit: 100, used: 2, isAssumed: true });
  await own.server.close();
});

test("M157 machine types are offered only in the region's zones, and spot machines do not count against the quota", async () => {
  const { view } = google.open();
  expect(await view.listZones()).toEqual(["b", "c", "d"].map((zone) => `${region}-${zone}`));
  expect(await view.listOffered(["e2-standard-2", "e2-standard-2", "no-such-type"])).toEqual([
    { name: "e2-standard-2", vcpus: 2, zones: [`${region}-b`, `${region}-c`], isCommon: true },
  ]);
  expect(await view.listOffered(["n2-custom-6-8192"])).toMatchObject([{ vcpus: 6, isCommon: false }]);
  expect(await view.listOffered([])).toEqual([]);
  const type = `zones/${region}-b/machineTypes/e2-standard-2`;
  const labels = { cloudwright_entity: "mine" };
  put(`zones/${region}-b/instances/one`, { machineType: type, status: "RUNNING", labels });
  put(`zones/${region}-b/instances/spot`, { machineType: type, status: "RUNNING", scheduling: { provisioningModel: "SPOT" } });
  put(`zones/${region}-b/instances/off`, { machineType: type, status: "TERMINATED" });
  put(`zones/${region}-c/instances/gpu`, { machineType: `zones/${region}-c/machineTypes/a2-highgpu-1g`, status: "RUNNING" });
  put("zones/us-east1-b/instances/far", { machineType: type, status: "RUNNING" });
  expect(await view.listMachines()).toEqual([{ vcpus: 2, owner: "mine" }]);
  put(`zones/${region}-c/instances/n2`, { machineType: `zones/${region}-c/machineTypes/n2-standard-4`, status: "RUNNING" });
  put(`zones/${region}-c/machineTypes/n2-standard-4`, { guestCpus: 4 });
  expect(await view.listOffered(["n2-standard-4", 'x") OR (name = "e2-standard-2'])).toEqual([
    {
      name: "n2-standard-4",
      vcpus: 4,
      zones: [`${region}-c`],
      isCommon: false,
      quota: { name: "N2_CPUS", limit: 8, used: [{ vcpus: 4 }] },
    },
  ]);
});

test("M157 versions, clusters and buckets are found; another customer's bucket is found without an owner", async () => {
  const { answers, refusals } = google.server;
  answers.set(`GET container/v1/projects/${project}/locations/${region}/serverConfig`, {
    validMasterVersions: ["1.34.3-gke.1", "1.33.6-gke.2", "1.33.5-gke.1"],
    channels: [{ channel: "RAPID", validVersions: ["1.35.1-gke.1"] }],
  });
  answers.set(`GET container/v1/projects/${project}/locations/-/clusters`, {
    clusters: [
      { name: "dev", location: region, resourceLabels: { cloudwright_entity: "mine" } },
      { name: "zonal", location: `${region}-b` },
      { name: "far", location: "us-east1" },
    ],
  });
  answers.set("GET storage/v1/b/ours", { name: "ours", labels: { cloudwright_entity: "mine" } });
  const denied = { error: { code: 403, message: "does not have storage.buckets.get access" } };
  refusals.set("GET storage/v1/b/theirs", { status: 403, body: denied });
  const { view } = google.open();
  expect(await view.listVersions()).toEqual(["1.34", "1.33", "1.35"]);
  expect(await view.findCluster("dev")).toEqual({ owner: "mine" });
  expect(await view.findCluster("zonal")).toEqual({});
  expect(await view.findCluster("far")).toBeUndefined();
  expect(await view.findBucket("ours")).toEqual({ owner: "mine" });
  expect(await view.findBucket("theirs")).toEqual({});
  expect(await view.findBucket("free")).toBeUndefined();
});

test("M223 missing permissions are listed, and those that Google Cloud cannot test for a project are left out", async () => {
  const { answers, refusals } = google.server;
  const path = `POST resource_manager/v1/projects/${project}:testIamPermissions`;
  const asked: string[] = [];
  answers.set(path, ({ body }) => {
    const { permissions } = body as { readonly permissions: readonly string[] };
    expect(permissions.length).toBeLessThanOrEqual(100);
    asked.push(...permissions);
    return { permissions: permissions.filter((permission) => permission !== "compute.networks.create") };
  });
  const { view } = google.open();
  expect(await view.listDenied("network")).toEqual(["compute.networks.create"]);
  expect(await view.listDenied("cluster")).toEqual([]);
  expect(asked.length).toBeGreaterThan(200);
  expect(await view.listDenied("castle")).toBeUndefined();
  answers.set(path, {});
  expect((await view.listDenied("storage"))?.length).toBeGreaterThan(10);
  const message = "Permission storage.objects.list is not valid for this resource.";
  refusals.set(path, { status: 400, body: { error: { code: 400, message } } });
  await expect(view.listDenied("network")).rejects.toMatchObject({ code: "clouds.failed" });
});

test("M157 services that are not enabled are listed", async () => {
  const { answers, refusals } = google.server;
  const path = `GET service_usage/v1/projects/${project}/services:batchGet`;
  answers.set(path, ({ query }) => ({
    services: (query["names"] ?? []).map((name) => ({ name, state: name.includes("container") ? "DISABLED" : "ENABLED" })),
  }));
  const { view } = google.open();
  expect(await view.listDisabledServices?.("cluster")).toEqual(["container.googleapis.com"]);
  expect(await view.listDisabledServices?.("network")).toEqual([]);
  refusals.set(path, { status: 403, body: { error: { code: 403, status: "PERMISSION_DENIED", message: "denied" } } });
  expect(await view.listDisabledServices?.("network")).toBeUndefined();
});

test("X013 throttled calls are retried by the caller, and other refusals name the operation", async () => {
  const path = `GET compute/v1/projects/${project}/zones`;
  const refuse = async (status: number, error: object): Promise<string> => {
    google.server.refusals.set(path, { status, body: { error } });
    return google
      .open()
      .view.listZones()
      .then(String, (fault: { code: string }) => fault.code);
  };
  expect(await refuse(403, { code: 403, message: "slow", errors: [{ reason: "rateLimitExceeded" }] })).toBe("clouds.throttled");
  expect(await refuse(403, { code: 403, message: "no" })).toBe("clouds.not_allowed");
  expect(await refuse(401, { code: 401, status: "UNAUTHENTICATED", message: "no" })).toBe("clouds.credentials_refused");
  expect(await refuse(400, { code: 400, message: "bad" })).toBe("clouds.failed");
});

test("X013 any response and any error becomes a fault", () => {
  const bodies = [null, "", "<html>", [], {}, { error: null }, { error: { details: [null], errors: [5, null] } }, { error: [] }];
  for (const data of bodies)
    for (const status of [200, 400, 401, 403, 404, 429, 500, 503])
      expect(toCloudFault({ response: { status, data } }, "x")).toBeInstanceOf(Fault);
  for (const error of [undefined, null, "text", 5, {}, new Error("")]) expect(toCloudFault(error, "x")).toBeInstanceOf(Fault);
});
