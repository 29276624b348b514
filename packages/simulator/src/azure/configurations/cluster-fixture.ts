import type { Inventory } from "../../inventory/inventory.ts";
import type { ValueMap } from "../../values/value.ts";
import { guid } from "../place.ts";

const region = "westeurope";
export const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };

const groupId = `/subscriptions/${guid("subscription a")}/resourceGroups/net`;
const networkId = `${groupId}/providers/Microsoft.Network/virtualNetworks/net`;

/** Returns the id of a resource in the network's resource group. */
export function idOf(type: string, name: string): string {
  return `${groupId}/providers/${type}/${name}`;
}

export const subnets = {
  nodes: `${networkId}/subnets/nodes`,
  pods: `${networkId}/subnets/pods`,
  apiServer: `${networkId}/subnets/api-server`,
};

/** Creates a network with three subnets and a NAT gateway directly in the inventory, because the network configuration has its own test. */
export async function addNetwork(inventory: Inventory): Promise<void> {
  const put = (type: string, id: string, attributes: ValueMap): Promise<void> =>
    inventory.put("a", { type, id, attributes: { id, ...attributes } });
  await put("azurerm_resource_group", groupId, { name: "net", location: region });
  await put("azurerm_virtual_network", networkId, { name: "net", location: region, address_space: ["10.0.0.0/16"] });
  for (const [index, id] of Object.values(subnets).entries()) {
    await put("azurerm_subnet", id, { name: id.split("/").at(-1) ?? "", address_prefixes: [`10.0.${index * 64}.0/20`] });
  }
  await put("azurerm_subnet_nat_gateway_association", subnets.nodes, { subnet_id: subnets.nodes, nat_gateway_id: "x" });
}

/** Creates a managed identity that the configuration does not manage. Returns its id. */
export async function addIdentity(inventory: Inventory, name: string): Promise<string> {
  const id = idOf("Microsoft.ManagedIdentity/userAssignedIdentities", name);
  const attributes = {
    id,
    name,
    location: region,
    resource_group_name: "net",
    principal_id: guid(`principal ${id}`),
    client_id: guid(`client ${id}`),
    tenant_id: guid("tenant a"),
    tags: {},
  };
  await inventory.put("a", { type: "azurerm_user_assigned_identity", id, attributes });
  return id;
}

/** The number of records that `addNetwork` creates. */
export const networkRecords = 6;

export const pool = (desired: number, more: object = {}): object => ({
  instance_type: "Standard_D2s_v5",
  min: desired,
  desired,
  max: desired,
  ...more,
});

/** Returns the variables of a small cluster. */
export const cluster = (change: object = {}): object => ({
  cluster_name: "dev",
  region,
  cluster_version: "1.33",
  node_subnet_id: subnets.nodes,
  outbound_type: "userAssignedNATGateway",
  nat_public_ips: ["203.0.113.9"],
  public_access_cidrs: ["198.51.100.1/32"],
  node_pools: { default: pool(2) },
  owner,
  ...change,
});

const guidOf = (name: string): string => guid(name);

/** Non-default values for all variables that can be set together. */
export const everything = {
  tier: "premium",
  long_term_support: true,
  upgrade_channel: "patch",
  node_os_upgrade_channel: "security-patch",
  maintenance_window: { day: "sunday", start: "02:00", hours: 4 },
  pod_subnet_id: subnets.pods,
  api_server_subnet_id: subnets.apiServer,
  service_cidr: "172.20.0.0/16",
  purge_protection: true,
  entra: { admin_group_ids: [guidOf("admins")] },
  local_accounts: false,
  access_entries: [
    { principal_id: guidOf("ada"), policy: "cluster-admin" },
    { principal_id: guidOf("bob"), policy: "view", namespaces: ["apps", "web"] },
  ],
  container_registry_ids: [idOf("Microsoft.ContainerRegistry/registries", "images")],
  log_analytics_workspace_id: idOf("Microsoft.OperationalInsights/workspaces", "logs"),
  managed_prometheus: true,
  disk_encryption_set_id: idOf("Microsoft.Compute/diskEncryptionSets", "disks"),
  host_encryption: true,
  addons: ["app-routing", "azure-policy", "blob-csi-driver", "keda", "key-vault-secrets-provider", "vertical-pod-autoscaler"],
  kept_defaults: { since: "v1.0.0", public_access_cidrs: ["198.51.100.1/32"] },
  node_pools: {
    default: pool(2, { zones: ["1", "2", "3"], os: "ubuntu", max_pods: 60, max_surge: "33%", only_system_pods: true }),
    "very-long-pool-name": pool(1, { system: true, zones: ["1"], disk_size_gib: 64, labels: { a: "b" }, tags: { team: "a" } }),
    gpu: pool(1, {
      instance_type: "Standard_NC4as_T4_v3",
      taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }],
      os_disk: "ephemeral",
    }),
    arm: pool(1, { instance_type: "Standard_D4ps_v5", drain_timeout_minutes: 60 }),
    spot: {
      instance_type: "Standard_D4s_v5",
      min: 0,
      desired: 1,
      max: 5,
      autoscaling: true,
      capacity: "spot",
      spot_max_price: 0.5,
    },
  },
  tags: { team: "a" },
};
