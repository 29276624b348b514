import type { AccountView } from "@cloudwright/clouds";
import type { Fault } from "@cloudwright/platform";
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
  const parents = service === "network" ? [] : [network];
  const task = createTestTask(`${service}.preflight`, {
    spec: service === "network" ? { region, ...spec } : spec,
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
      what: "a permission that is missing",
      field: "account",
      says: /compute\.networks\.create.*cloud account policy --feature network/,
      view: { listDenied: async () => ["compute.networks.create"] },
    },
    { what: "a region without zones", field: "spec.region", says: /no zones/, view: { listZones: async () => [] } },
    { what: "a zone that is not there", field: "spec.zones", says: /europe-west1-a/, spec: { zones: ["a"] } },
    {
      what: "too many networks",
      field: "spec.region",
      says: /VPC networks.*5 of 5/,
      view: { listNetworks: async () => [1, 2, 3, 4, 5].map((n) => ({ id: at(`n${n}`), ranges: [] })) },
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
    { what: "a peer that is not there", field: "spec.gcp.peers", says: /no VPC network hub/, spec: { gcp: { peers: ["hub"] } } },
    {
      what: "a network that is to be used and is not there",
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
    { what: "a version that is not offered", field: "spec.version", says: /GKE offers 1\.33, 1\.34/, spec: { version: "1.19" } },
    {
      what: "a machine type that one zone lacks",
      field: "spec.instanceType",
      says: /europe-west1-d/,
      view: { listOffered: async () => [{ ...machine, zones: zones.slice(0, 2) }] },
    },
    { what: "too many vCPUs", field: "spec.workers", says: /vCPUs/, spec: { workers: 17 } },
    {
      what: "a quota of the machine family",
      field: "spec.instanceType",
      says: /N2_CPUS.*0 of 0/,
      spec: { instanceType: "n2-standard-2" },
      view: {
        listOffered: async () => [
          { ...machine, name: "n2-standard-2", isCommon: false, quota: { name: "N2_CPUS", limit: 0, used: [] } },
        ],
      },
    },
    { what: "a name that is taken", field: "metadata.name", says: /another cluster/, view: { findCluster: async () => ({}) } },
  ],
  storage: [
    {
      what: "a permission that is missing",
      field: "account",
      says: /storage/,
      view: { listDenied: async () => ["storage.buckets.create"] },
    },
    { what: "a name that is taken", field: "metadata.name", says: /another bucket/, view: { findBucket: async () => ({}) } },
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
