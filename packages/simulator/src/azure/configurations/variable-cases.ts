import type { VariableCases } from "../../testing/list-wrong-variables.ts";

const owner = { project: "p", entity: "0123456789ab" };
const subscription = "/subscriptions/00000000-0000-0000-0000-000000000000";
const vnet = `${subscription}/resourceGroups/main/providers/Microsoft.Network/virtualNetworks/net`;
const given = { vnet_id: vnet, node_subnet_id: `${vnet}/subnets/nodes` };
const rule = { name: "a", priority: 100, direction: "in", action: "allow", cidr: "0.0.0.0/0" };
const route = { name: "a", cidr: "10.1.0.0/16", next_hop: "none" };
const long = "a".repeat(63);

const commonRejections: VariableCases["rejected"] = [
  ["name", { name: "Upper" }],
  ["name", { name: "" }],
  ["name", { name: `${long}a` }],
  ["name", { name: "größe" }],
  ["name", { name: null }],
  ["region", { region: "eu-west-1" }],
  ["region", { region: "West Europe" }],
  ["resource_group_name", { resource_group_name: "ends-with." }],
  ["resource_group_name", { resource_group_name: "" }],
  ["resource_group_name", { resource_group_name: "a/b" }],
  ["resource_group_name", { resource_group_name: "a".repeat(91) }],
  ["owner", { owner: { project: "p", entity: "" } }],
  ["tags", { tags: { "cloudwright:x": "y" } }],
  ["tags", { tags: { "a/b": "y" } }],
  ["tags", { tags: { "a%": "y" } }],
  ["tags", { tags: { "": "y" } }],
  ["tags", { tags: { AzureX: "y" } }],
  ["tags", { tags: { a: "x".repeat(257) } }],
];

/** Test cases for the variables of network/azure. */
export const badNetworks: VariableCases = {
  base: { name: "n", region: "westeurope", zones: ["1", "2"], owner },
  rejected: [
    ...commonRejections,
    ["cidr_range", { cidr_range: "10.0.0.0" }],
    ["cidr_range", { cidr_range: "10.0.0.0/7" }],
    ["cidr_range", { cidr_range: "10.0.0.0/29" }],
    ["cidr_range", { cidr_range: "10.0.0.9/16" }],
    ["cidr_range", { cidr_range: "fd00::/56" }],
    ["cidr_range", { cidr_range: "abc" }],
    ["cidr_range", { cidr_range: "172.30.0.0/16" }],
    ["cidr_range", { cidr_range: "172.16.0.0/12" }],
    ["cidr_range", { cidr_range: "169.254.8.0/24" }],
    ["node_subnet_cidr", { cidr_range: "10.0.0.0/25" }],
    ["zones", { zones: ["1", "1"] }],
    ["zones", { zones: ["westeurope-1"] }],
    ["zones", { zones: ["0"] }],
    ["node_subnet_cidr", { node_subnet_cidr: "10.1.0.0/24" }],
    ["node_subnet_cidr", { node_subnet_cidr: "10.0.0.0/30" }],
    ["node_subnet_cidr", { node_subnet_cidr: "10.0.0.1/24" }],
    ["node_subnet_cidr", { node_subnet_cidr: "10.0.0.0/15" }],
    ["node_subnet_cidr", { node_subnet_cidr: "" }],
    ["pod_subnet_cidr", { pod_subnet_cidr: "10.0.1.0/24" }],
    ["pod_subnet_cidr", { pod_subnet: true, pod_subnet_cidr: "10.9.0.0/24" }],
    ["pod_subnet_cidr", { pod_subnet: true, pod_subnet_cidr: "x" }],
    ["api_server_subnet_cidr", { api_server_subnet_cidr: "10.0.1.0/24" }],
    ["api_server_subnet_cidr", { api_server_subnet: true, api_server_subnet_cidr: "10.0.64.0/29" }],
    ["api_server_subnet_cidr", { api_server_subnet: true, api_server_subnet_cidr: "10.0.0.0/24" }],
    ["api_server_subnet_cidr", { pod_subnet: true, node_subnet_cidr: "10.0.192.0/24" }],
    ["nat", { nat: "maybe" }],
    ["nat", { nat: "per-zone", zones: null }],
    ["nat_ips", { nat_ips: 0 }],
    ["nat_ips", { nat_ips: 17 }],
    ["nat_ips", { nat_ips: 1.5 }],
    ["load_balancer_ips", { load_balancer_ips: -1 }],
    ["load_balancer_ips", { load_balancer_ips: 21 }],
    ["load_balancer_ips", { load_balancer_ips: 1.5 }],
    ["service_endpoints", { service_endpoints: ["storage"] }],
    ["service_endpoints", { service_endpoints: ["Microsoft.Storage", "Microsoft.Storage"] }],
    ["security_rules", { security_rules: [{ ...rule, direction: "both" }] }],
    ["security_rules", { security_rules: [{ ...rule, name: "load-balancers" }] }],
    ["security_rules", { security_rules: [{ ...rule, name: "-" }] }],
    ["security_rules", { security_rules: [{ ...rule, priority: 99 }] }],
    ["security_rules", { security_rules: [{ ...rule, priority: 100.5 }] }],
    ["security_rules", { security_rules: [{ ...rule, priority: 4095 }] }],
    ["security_rules", { security_rules: [{ ...rule, cidr: "0.0.0.0" }] }],
    ["security_rules", { security_rules: [{ ...rule, protocol: "icmp", to_port: 5 }] }],
    ["security_rules", { security_rules: [{ ...rule, protocol: "tcp", from_port: 10, to_port: 5 }] }],
    ["security_rules", { security_rules: [rule, { ...rule, priority: 101 }] }],
    ["security_rules", { security_rules: [rule, { ...rule, name: "b" }] }],
    ["routes", { routes: [{ ...route, next_hop: "appliance" }] }],
    ["routes", { routes: [{ ...route, next_hop_ip: "10.0.0.4" }] }],
    ["routes", { routes: [{ ...route, next_hop: "appliance", next_hop_ip: "x" }] }],
    ["routes", { routes: [{ ...route, cidr: "x" }] }],
    ["routes", { routes: [{ ...route, next_hop: "vpn" }] }],
    ["routes", { routes: [route, { ...route, name: "b" }] }],
    ["vnet_id", { ...given, vnet_id: "net", node_subnet_id: `${vnet}/subnets/nodes` }],
    ["vnet_id", { ...given, nat: "single" }],
    ["vnet_id", { ...given, resource_group_name: "main" }],
    ["node_subnet_id", { vnet_id: vnet }],
    ["node_subnet_id", { node_subnet_id: `${vnet}/subnets/nodes` }],
    ["node_subnet_id", { ...given, node_subnet_id: "nodes" }],
    ["pod_subnet_id", { pod_subnet_id: `${vnet}/subnets/pods` }],
    ["pod_subnet_id", { ...given, pod_subnet_id: `${vnet}/subnets/nodes` }],
    ["api_server_subnet_id", { ...given, api_server_subnet_id: "x" }],
    ["api_server_subnet_id", { ...given, api_server_subnet_id: `${vnet}/subnets/nodes` }],
  ],
  accepted: [
    {},
    { cidr_range: "10.0.0.0/8" },
    { cidr_range: "10.0.0.0/24" },
    { cidr_range: "10.0.0.0/28", node_subnet_cidr: "10.0.0.0/29" },
    { region: "westus", zones: null, nat: "single" },
    { region: "eastus2", nat: "per-zone" },
    { pod_subnet: true, api_server_subnet: true },
    { pod_subnet: true, pod_subnet_cidr: "10.0.64.0/18", node_subnet_cidr: "10.0.128.0/17" },
    { api_server_subnet: true, api_server_subnet_cidr: "10.0.64.0/28" },
    { security_rules: [rule, { ...rule, name: "b", direction: "out", priority: 4096 }] },
    { routes: [route, { name: "all", cidr: "0.0.0.0/0", next_hop: "appliance", next_hop_ip: "10.0.0.4" }] },
    { ...given, zones: null },
    { ...given, pod_subnet_id: `${vnet}/subnets/pods`, api_server_subnet_id: `${vnet}/subnets/api` },
    {
      nat: null,
      nat_ips: null,
      tags: null,
      load_balancer_ips: null,
      security_rules: null,
      routes: null,
      service_endpoints: null,
      cidr_range: null,
      pod_subnet: null,
    },
    { tags: { team: "größe", "example.com:team": "a" } },
    { name: long, resource_group_name: "Main_(1).x" },
  ],
};

/** Test cases for the variables that network/azure v1.1.0 added. */
export const badLaterNetworks: VariableCases = {
  base: badNetworks.base,
  rejected: [["vnet_id", { ...given, default_outbound_access: true }]],
  accepted: [{ default_outbound_access: true }, { default_outbound_access: null }],
};

const key = `${subscription}/resourceGroups/main/providers/Microsoft.KeyVault/vaults/keys-1/keys/storage`;
const rules = (...lifecycle_rules: object[]): object => ({ bucket: { lifecycle_rules } });
const moving = (after_days: number, storage_class: string, change: object = {}): object => ({
  id: "a",
  transitions: [{ after_days, storage_class }],
  ...change,
});

/** Test cases for the variables of storage/azure. */
export const badStorages: VariableCases = {
  base: { name: "n", region: "westeurope", owner },
  rejected: [
    ...commonRejections.map(([variable, change]) => [variable, { bucket: {}, ...change }] as const),
    ["volume", {}],
    ["volume", { bucket: {}, volume: { size_gib: 1 } }],
    ["bucket", { bucket: { redundancy: "LRS" } }],
    ["bucket", { bucket: { expire_after_days: -1 } }],
    ["bucket", { bucket: { expire_after_days: 1.5 } }],
    ["bucket", { bucket: { key_id: "https://keys-1.vault.azure.net/keys/storage" } }],
    ["bucket", { bucket: { key_id: `${key}/versions/1` } }],
    ["bucket", rules({ id: "a" })],
    ["bucket", rules({ id: "", expire_after_days: 5 })],
    ["bucket", rules({ id: "expire", expire_after_days: 5 })],
    ["bucket", rules({ id: "a", expire_after_days: 0.5 })],
    ["bucket", rules({ id: "a", expire_after_days: 5 }, { id: "A", expire_after_days: 6 })],
    ["bucket", rules(moving(30, "GLACIER"))],
    ["bucket", rules(moving(30, "Cool", { expire_after_days: 30 }))],
    ["bucket", rules(moving(30, "Archive"))],
    ["volume", { volume: { size_gib: 0 } }],
    ["volume", { volume: { size_gib: 1.5 } }],
    ["volume", { volume: { size_gib: 70_000 } }],
    ["volume", { volume: { size_gib: null } }],
    ["volume", { volume: { size_gib: 1, type: "gp3" } }],
    ["volume", { volume: { size_gib: 1, zone: "westeurope-1" } }],
    ["volume", { volume: { size_gib: 1, zone: "1", type: "Premium_ZRS" } }],
    ["volume", { volume: { size_gib: 1, type: "PremiumV2_LRS" } }],
    ["volume", { volume: { size_gib: 1, iops: 100 } }],
    ["volume", { volume: { size_gib: 1, zone: "1", type: "UltraSSD_LRS", throughput: 0 } }],
    ["volume", { volume: { size_gib: 1, disk_encryption_set_id: key } }],
  ],
  accepted: [
    { bucket: {} },
    { bucket: {}, tags: null, name: long },
    { bucket: { redundancy: "local", key_id: key, versioning: true, lifecycle_rules: [moving(30, "Archive")] } },
    rules(moving(30, "Cool", { expire_after_days: 31 }), { id: "b", expire_noncurrent_after_days: 1 }),
    { volume: { size_gib: 1 } },
    { volume: { size_gib: 65_536, zone: "3", type: "PremiumV2_LRS", iops: 3000, throughput: 125 } },
    { volume: { size_gib: 1, type: "StandardSSD_ZRS" } },
  ],
};

/** Test cases for the variables that storage/azure v1.1.0 added. */
export const badLaterStorages: VariableCases = {
  base: badStorages.base,
  rejected: [
    ["bucket", { bucket: { soft_delete_days: -1 } }],
    ["bucket", { bucket: { soft_delete_days: 366 } }],
    ["bucket", { bucket: { soft_delete_days: 0.5 } }],
    ["bucket", { bucket: { object_lock: { mode: "governance", days: 1 } } }],
    ["bucket", { bucket: { object_lock: { mode: "COMPLIANCE", days: 0 } } }],
  ],
  accepted: [
    { bucket: { soft_delete_days: 0, shared_keys: true, object_lock: { mode: "COMPLIANCE", days: 36_500 } } },
    { volume: { size_gib: 1, exports: true } },
  ],
};
