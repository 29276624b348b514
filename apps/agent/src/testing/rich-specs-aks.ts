import type { JsonObject } from "@cloudwright/deployer";
import type { CloudRecord } from "@cloudwright/simulator";
import type { RichSpec } from "./rich-spec.ts";

const region = "westeurope";
const group = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/net";
const network = `${group}/providers/Microsoft.Network/virtualNetworks/net`;
const subnet = (name: string): string => `${network}/subnets/${name}`;
const inGroup = (type: string, name: string): string => `${group}/providers/${type}/${name}`;
const identity = inGroup("Microsoft.ManagedIdentity/userAssignedIdentities", "app");
const ada = "11111111-1111-1111-1111-111111111111";

/** The parent network that tests pass to a cluster's tasks in Azure. */
export const inAzureNetwork: NonNullable<RichSpec["parents"]> = [
  {
    kind: "Network",
    uid: "network",
    name: "net",
    spec: { region, azure: {} },
    outputs: {
      network_id: network,
      cidr: "10.0.0.0/16",
      zones: ["westeurope-1", "westeurope-2", "westeurope-3"],
      resource_group_name: "net",
      public_subnet_ids: [],
      private_subnet_ids: [subnet("nodes")],
      intra_subnet_ids: [],
      nat_public_ips: ["203.0.113.9"],
      outbound_type: "userAssignedNATGateway",
    },
  },
];

const record = (type: string, id: string, attributes: CloudRecord["attributes"]): CloudRecord => ({
  type,
  id,
  attributes: { id, ...attributes },
});

/** Records of the network in `aksParents` and of an identity that clusters can use. */
export const azureNetworkRecords: readonly CloudRecord[] = [
  record("azurerm_resource_group", group, { name: "net", location: region }),
  record("azurerm_virtual_network", network, { name: "net", location: region, address_space: ["10.0.0.0/16"], tags: {} }),
  record("azurerm_subnet", subnet("nodes"), { name: "nodes", address_prefixes: ["10.0.0.0/18"], tags: {} }),
  record("azurerm_subnet_nat_gateway_association", `${subnet("nodes")}|nat`, { subnet_id: subnet("nodes"), tags: {} }),
  record("azurerm_user_assigned_identity", identity, { name: "app", location: region, tags: {} }),
];

const rich: JsonObject = {
  version: "1.34",
  workers: 2,
  endpoint: { public: true, publicCidrs: ["192.0.2.0/24"] },
  azure: {
    tier: "premium",
    longTermSupport: true,
    upgradeChannel: "patch",
    nodeOsUpgradeChannel: "security-patch",
    maintenanceWindow: { day: "sunday", start: "02:00", hours: 4 },
    entra: { adminGroupIds: ["22222222-2222-2222-2222-222222222222"] },
    localAccounts: false,
    accessEntries: [
      { principalId: ada, policy: "cluster-admin" },
      { principalId: ada, policy: "view", namespaces: ["apps", "web"] },
    ],
    containerRegistryIds: [inGroup("Microsoft.ContainerRegistry/registries", "images")],
    logAnalyticsWorkspaceId: inGroup("Microsoft.OperationalInsights/workspaces", "logs"),
    managedPrometheus: true,
    hostEncryption: true,
  },
  addOns: [{ name: "app-routing" }, { name: "keda" }],
};

const nodePools: NonNullable<RichSpec["nodePools"]> = [
  {
    uid: "spot-workers",
    name: "spot-workers",
    spec: { min: 0, desired: 1, max: 4, autoscaling: true, capacity: "spot", zones: ["1", "2"], azure: { spotMaxPrice: "0.05" } },
  },
  {
    uid: "gpus",
    name: "gpus",
    spec: {
      min: 1,
      desired: 1,
      max: 1,
      instanceType: "Standard_NC4as_T4_v3",
      zones: ["3"],
      diskSizeGib: 64,
      nodeLabels: { gpu: "true" },
      taints: [{ key: "gpu", value: "true", effect: "NoSchedule" }],
      azure: { os: "ubuntu", osDisk: "ephemeral", maxPods: 60, maxSurge: "1", drainTimeoutMinutes: 60, system: true },
    },
  },
];

const cluster = (version: string, azure: JsonObject): RichSpec => ({
  cloud: "azure",
  service: "cluster",
  parents: inAzureNetwork,
  given: azureNetworkRecords,
  spec: { ...rich, azure: { ...(rich["azure"] as JsonObject), ...azure }, infra: { version } },
  nodePools,
});

/** A rich spec for every released configuration of clusters in Azure. */
export const aksSpecs: Readonly<Record<string, RichSpec>> = {
  "kubernetes/azure/v1.0.0": cluster("v1.0.0", {}),
  "kubernetes/azure/v1.1.0": cluster("v1.1.0", {
    workloadIdentities: [{ namespace: "apps", serviceAccount: "web", identityId: identity }],
    imageCleaner: false,
  }),
};
