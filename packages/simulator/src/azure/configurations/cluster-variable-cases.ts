import type { VariableCases } from "../../testing/list-wrong-variables.ts";

const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const id = (rest: string): string => `/subscriptions/0/resourceGroups/g/providers/${rest}`;
const subnet = id("Microsoft.Network/virtualNetworks/n/subnets/s");
const guid = "00000000-0000-0000-0000-000000000000";
const sizes = { instance_type: "Standard_D2s_v5", min: 1, desired: 1, max: 3 };
const pools = (change: object, name = "a"): object => ({ node_pools: { default: sizes, [name]: { ...sizes, ...change } } });
const own = (change: object): object => ({ node_pools: { default: { ...sizes, ...change } } });
const key = `https://main.vault.azure.net/keys/secrets/${"0".repeat(32)}`;

/** Test cases for the variables of kubernetes/azure. */
export const badAzureClusters: VariableCases = {
  base: { cluster_name: "n", region: "westeurope", node_subnet_id: subnet, node_pools: { default: sizes }, owner },
  rejected: [
    ["cluster_name", { cluster_name: "N" }],
    ["cluster_name", { cluster_name: "" }],
    ["region", { region: "West Europe" }],
    ["region", { region: "eu-west-1" }],
    ["resource_group_name", { resource_group_name: "a." }],
    ["resource_group_name", { resource_group_name: "" }],
    ["cluster_version", { cluster_version: "1.34.1" }],
    ["tier", { tier: "Standard" }],
    ["long_term_support", { long_term_support: true }],
    ["upgrade_channel", { upgrade_channel: "weekly" }],
    ["node_os_upgrade_channel", { node_os_upgrade_channel: "NodeImage" }],
    ["node_os_upgrade_channel", { upgrade_channel: "node-image", node_os_upgrade_channel: "none" }],
    ["maintenance_window", { maintenance_window: { day: "Sunday", start: "02:00", hours: 4 } }],
    ["maintenance_window", { maintenance_window: { day: "sunday", start: "2:00", hours: 4 } }],
    ["maintenance_window", { maintenance_window: { day: "sunday", start: "02:00", hours: 3 } }],
    ["maintenance_window", { maintenance_window: { day: "sunday", start: "02:00", hours: 4.5 } }],
    ["node_subnet_id", { node_subnet_id: "subnet-1" }],
    ["pod_subnet_id", { pod_subnet_id: id("Microsoft.Network/virtualNetworks/n") }],
    ["api_server_subnet_id", { api_server_subnet_id: "x" }],
    ["private_dns_zone_id", { private_dns_zone_id: "privatelink.westeurope.azmk8s.io" }],
    ["outbound_type", { outbound_type: "nat-gateway" }],
    ["nat_public_ips", { nat_public_ips: ["203.0.113.0/24"] }],
    ["public_access", { public_access: false, public_access_cidrs: ["192.0.2.0/24"] }],
    ["public_access_cidrs", { public_access_cidrs: ["192.0.2.1"] }],
    ["public_access_cidrs", { public_access_cidrs: ["2001:db8::/32"] }],
    ["pod_cidr", { pod_cidr: "192.168.0.0/24" }],
    ["pod_cidr", { pod_cidr: "192.168.0.1/16" }],
    ["service_cidr", { service_cidr: "10.0.0.0/8" }],
    ["service_cidr", { service_cidr: "172.16.0.0/29" }],
    ["identities", { identities: { cluster: "x" } }],
    ["kms_key", { kms_key: { id: "https://main.vault.azure.net/keys/secrets" } }],
    ["kms_key", { kms_key: { vault_id: id("Microsoft.KeyVault/vaults/v") } }],
    ["kms_key", { kms_key: { id: key, vault_id: "main" } }],
    ["entra", { entra: { admin_group_ids: ["admins"] } }],
    ["local_accounts", { local_accounts: false }],
    ["access_entries", { access_entries: [{ principal_id: guid, policy: "view" }] }],
    ["access_entries", { entra: {}, access_entries: [{ principal_id: "ada", policy: "view" }] }],
    ["access_entries", { entra: {}, access_entries: [{ principal_id: guid, policy: "root" }] }],
    [
      "access_entries",
      {
        entra: {},
        access_entries: [
          { principal_id: guid, policy: "view" },
          { principal_id: guid, policy: "view", namespaces: ["a"] },
        ],
      },
    ],
    ["container_registry_ids", { container_registry_ids: ["images.azurecr.io"] }],
    ["log_analytics_workspace_id", { log_analytics_workspace_id: guid }],
    ["disk_encryption_set_id", { disk_encryption_set_id: "x" }],
    ["addons", { addons: ["istio"] }],
    ["kept_defaults", { kept_defaults: { since: "1.0" } }],
    ["kept_defaults", { kept_defaults: { public_access_cidrs: ["192.0.2.1"] } }],
    ["node_pools", { node_pools: {} }],
    ["node_pools", { node_pools: { a: sizes } }],
    ["node_pools", pools({}, "A")],
    ["node_pools", own({ desired: 0, min: 0 })],
    ["node_pools", own({ capacity: "spot" })],
    ["node_pools", own({ taints: [{ key: "a", effect: "NoSchedule" }] })],
    ["node_pools", pools({ system: true, desired: 0, min: 0 })],
    ["node_pools", pools({ desired: 4 })],
    ["node_pools", pools({ min: 0.5 })],
    ["node_pools", pools({ desired: null })],
    ["node_pools", pools({ min: 0, desired: 0, max: 0, autoscaling: true })],
    ["node_pools", pools({ instance_type: "t3.medium" })],
    ["node_pools", pools({ capacity: "cheap" })],
    ["node_pools", pools({ disk_size_gib: 8 })],
    ["node_pools", pools({ zones: ["westeurope-1"] })],
    ["node_pools", pools({ os: "windows" })],
    ["node_pools", pools({ os_disk: "local" })],
    ["node_pools", pools({ max_pods: 5 })],
    ["node_pools", pools({ max_surge: "101%" })],
    ["node_pools", pools({ max_surge: "0" })],
    ["node_pools", pools({ drain_timeout_minutes: 0 })],
    ["node_pools", pools({ spot_max_price: 0 })],
    ["node_pools", pools({ taints: [{ key: "a", effect: "Never" }] })],
    ["node_pools", pools({ taints: [{ key: "", effect: "NoSchedule" }] })],
    ["node_pools", pools({ tags: { "cloudwright:entity": "x" } })],
    ["owner", { owner: { project: "p", entity: "" } }],
    ["tags", { tags: { "cloudwright:entity": "x" } }],
    ["tags", { tags: { "a/b": "x" } }],
  ],
  accepted: [
    {},
    { tier: "premium", long_term_support: true, resource_group_name: "a.b_(c)", cluster_version: null },
    { public_access: false, private_dns_zone_id: id("Microsoft.Network/privateDnsZones/privatelink.westeurope.azmk8s.io") },
    { kms_key: { id: key, vault_id: id("Microsoft.KeyVault/vaults/v") }, entra: {}, local_accounts: false },
    { entra: { admin_group_ids: [guid] }, access_entries: [{ principal_id: guid, policy: "edit", namespaces: ["a"] }] },
    pools({ autoscaling: true, desired: null, min: 0, max: 10, capacity: "spot", spot_max_price: 0.01 }),
    pools({ min: 0, desired: 0, max: 0, max_surge: "100%", zones: ["1", "2", "3"] }),
    { tags: null, addons: null, identities: null, kms_key: null, kept_defaults: null, public_access_cidrs: null },
  ],
};

/** Test cases for the variables that kubernetes/azure v1.1.0 added. */
export const badCurrentAzureClusters: VariableCases = {
  base: badAzureClusters.base,
  rejected: [
    ["workload_identities", { workload_identities: { web: id("Microsoft.ManagedIdentity/userAssignedIdentities/app") } }],
    ["workload_identities", { workload_identities: { "apps/web": "app" } }],
  ],
  accepted: [
    { workload_identities: { "apps/web": id("Microsoft.ManagedIdentity/userAssignedIdentities/app") }, image_cleaner: false },
    { workload_identities: null, image_cleaner: null },
  ],
};
