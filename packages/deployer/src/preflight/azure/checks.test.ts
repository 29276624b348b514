import type { AccountView } from "@cloudwright/clouds";
import type { Fault } from "@cloudwright/platform";
import { describe, expect, test } from "vitest";
import { createFakeView } from "../../testing/fake-view.ts";
import { createTestTask } from "../../testing/test-task.ts";
import type { JsonObject } from "../../task.ts";
import { lookAhead } from "../look-ahead.ts";

const region = "westeurope";
const zones = ["1", "2", "3"].map((zone) => `${region}-${zone}`);
const subscription = "0b1f6471-1bf0-4dda-aec3-111122223333";
const at = (name: string): string =>
  `/subscriptions/${subscription}/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/${name}`;
const machine = { name: "Standard_D2s_v5", vcpus: 2, zones, isCommon: true };
const many = (count: number) => Array.from({ length: count }, () => ({}));

interface Case {
  readonly what: string;
  readonly field: string;
  readonly says: RegExp;
  readonly view?: Partial<AccountView>;
  readonly spec?: JsonObject;
  readonly region?: string;
  /** Changes to the spec of the cluster's network. */
  readonly network?: JsonObject;
}

async function look(service: string, { view = {}, spec = {}, region: place = region, network: change = {} }: Partial<Case>) {
  const own = createFakeView({
    getIdentity: async () => ({ accountId: subscription, identity: "application a in tenant t" }),
    listZones: async () => zones,
    listOffered: async (types) => types.map((name) => ({ ...machine, name })),
    ...view,
  });
  const network = { kind: "Network", uid: "n", name: "main", spec: { region: place, ...change }, outputs: {} };
  const task = createTestTask(`${service}.preflight`, {
    spec: service === "network" ? { region: place, ...spec } : spec,
    parents: service === "network" ? [] : [network],
    openState: async () => ({}) as never,
  });
  const account = { uid: "a", name: "acc", cloud: "azure", simulated: false, spec: {} };
  const openView = async () => ({ view: own, close: () => undefined });
  return lookAhead({ openView }, task, service, account).then(
    (warnings) => warnings,
    (fault: Fault) => fault.fields ?? [],
  );
}

const cases: Readonly<Record<string, readonly Case[]>> = {
  network: [
    {
      what: "an unregistered resource provider",
      field: "account",
      says: new RegExp(`az provider register --namespace Microsoft.Network --subscription ${subscription}`),
      view: { listDisabledServices: async () => ["Microsoft.Network"] },
    },
    {
      what: "a missing permission",
      field: "account",
      says: /virtualNetworks\/write.*cloud account policy --feature network/,
      view: { listDenied: async () => ["Microsoft.Network/virtualNetworks/write"] },
    },
    { what: "an unknown region", field: "spec.region", says: /no zones/, view: { listZones: async () => [] } },
    { what: "a zone that does not exist", field: "spec.zones", says: /westeurope-4/, spec: { zones: ["4"] } },
    {
      what: "too many networks",
      field: "spec.region",
      says: /virtual networks.*5 of 5/,
      view: { listNetworks: async () => [1, 2, 3, 4, 5].map((n) => ({ id: at(`n${n}`), ranges: [] })) },
    },
    { what: "too many addresses", field: "spec.azure.natIps", says: /public IP/, spec: { nat: "single", azure: { natIps: 6 } } },
    {
      what: "an address quota of zero",
      field: "spec.nat",
      says: /public IP addresses is 0,/,
      spec: { nat: "single" },
      view: noAddresses(),
    },
    {
      what: "too many NAT gateways",
      field: "spec.nat",
      says: /NAT gateways in westeurope.*5 of 5/,
      spec: { nat: "per-zone" },
      view: { listNatGateways: async () => many(5).map((_each, index) => ({ zone: `${region}-${index}` })) },
    },
    {
      what: "an existing network that cannot be found",
      field: "spec.existing.id",
      says: /no virtual network .*shared in westeurope.*Choose from .*main/,
      spec: { existing: { id: at("shared"), privateSubnetIds: ["a"] } },
      view: { listNetworks: async () => [{ id: at("main"), ranges: [] }] },
    },
  ],
  cluster: [
    {
      what: "resource providers that are not registered",
      field: "account",
      says: /Microsoft\.KeyVault .* && az provider register --namespace Microsoft\.Insights/,
      view: { listDisabledServices: async () => ["Microsoft.KeyVault", "Microsoft.Insights"] },
    },
    {
      what: "a version that is not available",
      field: "spec.version",
      says: /AKS offers 1\.33, 1\.34/,
      spec: { version: "1.19" },
    },
    {
      what: "a machine type that one zone lacks",
      field: "spec.instanceType",
      says: /westeurope-3/,
      view: { listOffered: async () => [{ ...machine, zones: zones.slice(0, 2) }] },
    },
    { what: "too many vCPUs", field: "spec.workers", says: /vCPUs/, spec: { workers: 17 } },
    {
      what: "a quota of zero for the machine type's family",
      field: "spec.instanceType",
      says: /Standard DSv5 Family vCPUs is 0, but the request needs 4/,
      view: { listOffered: async () => [{ ...machine, quota: { name: "Standard DSv5 Family vCPUs", limit: 0, used: [] } }] },
    },
    {
      what: "user-defined routing in a network without a default route",
      field: "spec.azure.outbound",
      says: /the network "main" has no route for 0\.0\.0\.0\/0.*spec\.azure\.routes/,
      spec: { azure: { outbound: "user-defined-routing" } },
      network: { azure: { routes: [{ name: "a", cidr: "10.9.0.0/16", nextHop: "gateway" }] } },
    },
    {
      what: "user-defined routing in an existing subnet without a default route",
      field: "spec.azure.outbound",
      says: /route table of sub-1 has no route.*az network route-table route create/,
      spec: { azure: { outbound: "user-defined-routing" } },
      network: { existing: { id: at("shared"), privateSubnetIds: ["sub-1"] } },
      view: { hasDefaultRoute: async () => false },
    },
    {
      what: "a private endpoint that no agent in the network can reach",
      field: "spec.endpoint.public",
      says: /no address in 203\.0\.113\.0\/24 of the network "main".*cloud agent create/,
      spec: { endpoint: { public: false } },
      network: { cidr: "203.0.113.0/24" },
    },
    {
      what: "a name that is already in use",
      field: "metadata.name",
      says: /another cluster/,
      view: { findCluster: async () => ({}) },
    },
  ],
  securitygroup: [
    {
      what: "no room for another security group",
      field: "spec.network",
      says: /application security groups/,
      view: { findUsage: async (quota) => (quota === "securityGroups" ? { limit: 3000, used: 3000 } : undefined) },
    },
    {
      what: "a missing permission",
      field: "account",
      says: /joinNetworkSecurityRule.*cloud account policy --feature securitygroup/,
      view: { listDenied: async () => ["Microsoft.Network/applicationSecurityGroups/joinNetworkSecurityRule/action"] },
    },
  ],
  volume: [
    {
      what: "a missing permission",
      field: "account",
      says: /attachDetachDataDisks.*cloud account policy --feature volume/,
      spec: { region },
      view: { listDenied: async () => ["Microsoft.Compute/virtualMachines/attachDetachDataDisks/action"] },
    },
  ],
  storage: [
    {
      what: "a missing permission",
      field: "account",
      says: /storage/i,
      view: { listDenied: async () => ["Microsoft.Storage/storageAccounts/write"] },
    },
    {
      what: "a name that is already in use",
      field: "metadata.name",
      says: /another bucket/,
      view: { findBucket: async () => ({}) },
    },
  ],
};

function noAddresses(): Partial<AccountView> {
  return {
    getLimits: async () => ({
      networks: 5,
      publicIps: 0,
      natGatewaysPerZone: 5,
      internetGateways: Number.POSITIVE_INFINITY,
      vcpus: 9,
    }),
  };
}

describe.each(Object.keys(cases))("M157 before a %s is built in Azure", (service) => {
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

test("M157 a region without zones accepts networks and clusters that do not name zones", async () => {
  const place = "northcentralus";
  const view = { listZones: async () => [place], listOffered: async () => [{ ...machine, zones: [] }] };
  expect(await look("network", { region: place, view })).toEqual([]);
  expect(await look("cluster", { region: place, view })).toEqual([]);
});

test("M157 the machines of the cluster itself do not count twice against the quota of their family", async () => {
  const quota = { name: "family", limit: 4, used: [{ vcpus: 4, owner: "entity" }] };
  const { uid } = createTestTask("cluster.preflight", { spec: {}, openState: async () => ({}) as never }).payload.entity;
  const own = { ...quota, used: [{ vcpus: 4, owner: uid }] };
  expect(await look("cluster", { view: { listOffered: async () => [{ ...machine, quota: own }] } })).toEqual([]);
  const others = { ...quota, used: [{ vcpus: 1 }] };
  expect(await look("cluster", { view: { listOffered: async () => [{ ...machine, quota: others }] } })).toHaveLength(1);
});

test("M157 the names of clusters and storage accounts are those that the configurations build", async () => {
  const asked: string[] = [];
  await look("cluster", { view: { findCluster: async (name) => void asked.push(name) } });
  await look("storage", { view: { findBucket: async (name) => void asked.push(name) } });
  expect(asked[0]).toMatch(/^[a-z0-9-]+-[a-z0-9]{6,8}$/);
  expect(asked[1]).toMatch(/^[a-z0-9]{3,24}$/);
});

test("X013 user-defined routing with a default route yields no findings", async () => {
  const spec = { azure: { outbound: "user-defined-routing" } };
  const routes = [{ name: "all", cidr: "0.0.0.0/0", nextHop: "appliance", nextHopIp: "10.0.9.4" }];
  expect(await look("cluster", { spec, network: { azure: { routes } } })).toEqual([]);
  const network = { existing: { id: at("shared"), privateSubnetIds: ["sub-1"] } };
  for (const answer of [true, undefined])
    expect(await look("cluster", { spec, network, view: { hasDefaultRoute: async () => answer } })).toEqual([]);
});
