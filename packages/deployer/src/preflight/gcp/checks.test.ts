import type { AccountView } from "@cloudwright/clouds";
import type { Fault } from "@cloudwright/platform";
import { changeConditions, createMemoryInventory, findSimulatedCloud } from "@cloudwright/simulator";
import { describe, expect, test } from "vitest";
import { createFakeView } from "../../testing/fake-view.ts";
import { createTestTask } from "../../testing/test-task.ts";
import type { JsonObject } from "../../task.ts";
import { lookAhead } from "../look-ahead.ts";

const region = "europe-west1";
const zones = ["b", "c", "d"].map((zone) => `${region}-${zone}`);
const at = (name: string): string => `projects/my-project-1/global/networks/${name}`;
const machine = { name: "e2-standard-2", vcpus: 2, zones, isCommon: true };

interface Case {
  readonly what: string;
  readonly field: string;
  readonly says: RegExp;
  readonly view?: Partial<AccountView>;
  readonly spec?: JsonObject;
}

async function look(service: string, { view = {}, spec = {} }: Partial<Case>) {
  const own = createFakeView({
    getIdentity: async () => ({ accountId: "my-project-1", identity: "deployer@my-project-1.iam.gserviceaccount.com" }),
    listZones: async () => zones,
    listOffered: async (types) => types.map((name) => ({ ...machine, name })),
    ...view,
  });
  const network = { kind: "Network", uid: "n", name: "main", spec: { region }, outputs: {} };
  const isPlaced = ["network", "volume"].includes(service);
  const parents = isPlaced ? [] : [network];
  const task = createTestTask(`${service}.preflight`, {
    spec: isPlaced ? { region, ...spec } : spec,
    parents,
    openState: async () => ({}) as never,
  });
  const account = { uid: "a", name: "acc", cloud: "gcp", simulated: false, spec: {} };
  const openView = async () => ({ view: own, close: () => undefined });
  return lookAhead({ openView }, task, service, account).then(
    () => [],
    (fault: Fault) => fault.fields ?? [],
  );
}

const cases: Readonly<Record<string, readonly Case[]>> = {
  network: [
    {
      what: "a service that is not enabled",
      field: "account",
      says: /gcloud services enable compute\.googleapis\.com --project my-project-1/,
      view: { listDisabledServices: async () => ["compute.googleapis.com"] },
    },
    {
      what: "a missing permission",
      field: "account",
      says: /compute\.networks\.create.*cloud account policy --feature network/,
      view: { listDenied: async () => ["compute.networks.create"] },
    },
    { what: "a region without zones", field: "spec.region", says: /no zones/, view: { listZones: async () => [] } },
    { what: "a zone that does not exist", field: "spec.zones", says: /europe-west1-a/, spec: { zones: ["a"] } },
    {
      what: "too many networks",
      field: "spec.region",
      says: /VPC networks.*5 of 5/,
      view: { listNetworks: async () => [1, 2, 3, 4, 5].map((n) => ({ id: at(`n${n}`), ranges: [] })) },
    },
    {
      what: "an exhausted subnet quota",
      field: "spec.region",
      says: /quota for subnets is too low: 275 of 275 in use, 1 more.*gcloud beta quotas/,
      view: { findUsage: async (quota) => (quota === "subnets" ? { limit: 275, used: 275 } : undefined) },
    },
    {
      what: "a firewall rule quota that is too low",
      field: "spec.region",
      says: /firewall rules is too low: 198 of 200 in use, 3 more/,
      view: { findUsage: async (quota) => (quota === "firewalls" ? { limit: 200, used: 198 } : undefined) },
    },
    {
      what: "an exhausted router quota",
      field: "spec.nat",
      says: /Cloud Routers/,
      spec: { nat: "single" },
      view: { findUsage: async (quota) => (quota === "routers" ? { limit: 0, used: 0 } : undefined) },
    },
    {
      what: "too many addresses",
      field: "spec.gcp.natIps",
      says: /static IP addresses/,
      spec: { nat: "single", gcp: { natIps: 6 } },
    },
    {
      what: "a peer's range",
      field: "spec.cidr",
      says: /10\.0\.128\.0\/17 overlaps/,
      spec: { gcp: { peers: ["10.0.192.0/20"] } },
    },
    {
      what: "the range of a peer in the project",
      field: "spec.cidr",
      says: /of hub/,
      spec: { gcp: { peers: ["hub"] } },
      view: { listNetworks: async () => [{ id: at("hub"), ranges: ["10.0.64.0/20"], owner: "entity" }] },
    },
    {
      what: "a peer that does not exist",
      field: "spec.gcp.peers",
      says: /no VPC network hub/,
      spec: { gcp: { peers: ["hub"] } },
    },
    {
      what: "an existing network that cannot be found",
      field: "spec.existing.id",
      says: /no VPC network shared.*Choose from main/,
      spec: { existing: { id: "shared", privateSubnetIds: ["a"] } },
      view: { listNetworks: async () => [{ id: at("main"), ranges: [] }] },
    },
  ],
  cluster: [
    {
      what: "a service that is not enabled",
      field: "account",
      says: /gcloud services enable container/,
      view: { listDisabledServices: async () => ["container.googleapis.com"] },
    },
    {
      what: "a version that is not available",
      field: "spec.version",
      says: /GKE offers 1\.33, 1\.34/,
      spec: { version: "1.19" },
    },
    {
      what: "a machine type that one zone lacks",
      field: "spec.instanceType",
      says: /europe-west1-d/,
      view: { listOffered: async () => [{ ...machine, zones: zones.slice(0, 2) }] },
    },
    {
      what: "an exhausted service account quota",
      field: "spec.gcp.nodeServiceAccount",
      says: /service accounts is too low: 100 of 100/,
      view: { findUsage: async () => ({ limit: 100, used: 100 }) },
    },
    { what: "too many vCPUs", field: "spec.workers", says: /vCPUs/, spec: { workers: 17 } },
    {
      what: "an exhausted machine family quota",
      field: "spec.instanceType",
      says: /N2_CPUS is 0,/,
      spec: { instanceType: "n2-standard-2" },
      view: {
        listOffered: async () => [
          { ...machine, name: "n2-standard-2", isCommon: false, quota: { name: "N2_CPUS", limit: 0, used: [] } },
        ],
      },
    },
    {
      what: "a name that is already in use",
      field: "metadata.name",
      says: /another cluster/,
      view: { findCluster: async () => ({}) },
    },
  ],
  storage: [
    {
      what: "a disk quota that is too low",
      field: "spec.volume.sizeGib",
      says: /GiB of standard disks is too low: 10 of 40 in use, 50 more/,
      spec: { volume: { sizeGib: 50, type: "pd-standard" } },
      view: { findUsage: async (quota) => (quota === "diskGiB" ? { limit: 40, used: 10 } : undefined) },
    },
    {
      what: "a missing permission",
      field: "account",
      says: /storage/,
      view: { listDenied: async () => ["storage.buckets.create"] },
    },
    {
      what: "a name that is already in use",
      field: "metadata.name",
      says: /another bucket/,
      view: { findBucket: async () => ({}) },
    },
  ],
  securitygroup: [
    {
      what: "a firewall rule quota that is too low",
      field: "spec.rules",
      says: /firewall rules is too low: 198 of 200 in use, 4 more/,
      spec: {
        rules: [
          { protocol: "tcp", fromPort: 22, cidr: "10.0.0.0/8" },
          { protocol: "tcp", fromPort: 22, cidr: "192.168.0.0/16" },
          { protocol: "arp", cidr: "10.0.0.0/8" },
          { direction: "egress", protocol: "udp", fromPort: 53, cidr: "10.0.0.0/8" },
        ],
      },
      view: { findUsage: async (quota) => (quota === "firewalls" ? { limit: 200, used: 198 } : undefined) },
    },
    {
      what: "a missing permission",
      field: "account",
      says: /compute\.firewalls\.create.*--feature securitygroup/,
      view: { listDenied: async () => ["compute.firewalls.create"] },
    },
  ],
  volume: [
    {
      what: "a disk quota that is too low",
      field: "spec.sizeGib",
      says: /GiB of SSD disks is too low: 10 of 40 in use, 50 more/,
      spec: { sizeGib: 50 },
      view: { findUsage: async (quota) => (quota === "ssdGiB" ? { limit: 40, used: 10 } : undefined) },
    },
    {
      what: "a region without zones",
      field: "spec.region",
      says: /no zones/,
      spec: { sizeGib: 10 },
      view: { listZones: async () => [] },
    },
  ],
};

describe.each(Object.keys(cases))("M157 before a %s is built in Google Cloud", (service) => {
  test("a valid spec yields no findings", async () => {
    expect(await look(service, { spec: service === "network" ? { nat: "single" } : {} })).toEqual([]);
  });

  test.each(cases[service] ?? [])("$what is the only finding, and the message says how to fix it", async (given) => {
    const found = await look(service, given);
    expect(found.map(({ field }) => field)).toContain(given.field);
    expect(new Set(found.map(({ field }) => field)).size).toBe(1);
    expect(found.map(({ message, help = "" }) => `${message} ${help}`).join(" ")).toMatch(given.says);
  });
});

test("M157 the names of clusters and buckets are those that the configurations build", async () => {
  const asked: string[] = [];
  const find = async (name: string) => void asked.push(name);
  await look("cluster", { view: { findCluster: async (name) => (await find(name), undefined) } });
  await look("storage", { view: { findBucket: async (name) => (await find(name), undefined) } });
  for (const name of asked) expect(name).toMatch(/^[a-z0-9-]+-[a-z0-9]{6,12}$/);
  expect(asked).toHaveLength(2);
});

describe("X013 quotas of Google Cloud", () => {
  const exhausted = { findUsage: async () => ({ limit: 0, used: 0 }) };

  test("are not checked for resources that already exist or that others own", async () => {
    const built = { listNetworks: async () => [{ id: at("main"), ranges: [], owner: "entity" }] };
    expect(await look("network", { view: { ...exhausted, ...built } })).toEqual([]);
    const account = { gcp: { nodeServiceAccount: "nodes@my-project-1.iam.gserviceaccount.com" } };
    expect(await look("cluster", { view: exhausted, spec: account })).toEqual([]);
    expect(await look("storage", { view: exhausted, spec: { bucket: {} } })).toEqual([]);
  });

  test("only warn if the limit is the default of new projects", async () => {
    expect(await look("cluster", { view: { findUsage: async () => ({ limit: 0, used: 0, isAssumed: true }) } })).toEqual([]);
  });

  test.each([
    ["network", { nat: "single" }, "subnets-per-project", "spec.region"],
    ["network", { nat: "single" }, "firewalls-per-project", "spec.region"],
    ["network", { nat: "single" }, "routers-per-project", "spec.nat"],
    ["cluster", {}, "service-accounts", "spec.gcp.nodeServiceAccount"],
    ["storage", { volume: { sizeGib: 10 } }, "disk-gib-per-region", "spec.volume.sizeGib"],
    ["securitygroup", {}, "firewalls-per-project", "spec.rules"],
    ["volume", { sizeGib: 10 }, "disk-gib-per-region", "spec.sizeGib"],
  ])("of a simulated project are found before a %s is built with %j: %s", async (service, spec, quota, field) => {
    const inventory = createMemoryInventory();
    const account = findSimulatedCloud("gcp")?.openAccount?.({ inventory, tenant: "t", region });
    expect(await look(service, { view: { ...account }, spec })).toEqual([]);
    await changeConditions(inventory, "t", { quotas: { [quota]: 0 } });
    expect((await look(service, { view: { ...account }, spec })).map((finding) => finding.field)).toEqual([field]);
  });
});
