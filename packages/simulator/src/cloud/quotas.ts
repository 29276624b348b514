import type { Conditions } from "./conditions.ts";

/** Default limits per account. The real clouds grant these without a quota increase. */
const granted = {
  "vpcs-per-region": 5,
  "subnets-per-vpc": 200,
  "internet-gateways-per-region": 5,
  "elastic-ips-per-region": 5,
  "nat-gateways-per-zone": 5,
  "route-tables-per-vpc": 200,
  "routes-per-table": 500,
  "network-acls-per-vpc": 200,
  "security-groups-per-region": 2500,
  "rules-per-security-group": 60,
  "gateway-endpoints-per-region": 20,
  "interface-endpoints-per-vpc": 50,
  "load-balancers-per-region": 50,
  "network-interfaces-per-region": 5000,
  "vcpus-per-region": 1152,
  "volume-tib-per-region": 50,
  "clusters-per-region": 100,
  "node-groups-per-cluster": 30,
  "nodes-per-node-group": 450,
  roles: 1000,
  policies: 1500,
  "policies-per-role": 10,
  "instance-profiles": 1000,
  "identity-providers": 100,
  buckets: 10_000,
  "managed-clusters-per-region": 100,
  "node-pools-per-cluster": 100,
  "networks-per-project": 15,
  "subnets-per-project": 275,
  "firewalls-per-project": 200,
  "routers-per-project": 20,
  "static-addresses-per-region": 8,
  "disk-gib-per-region": 40_960,
  "service-accounts": 100,
  "resource-groups": 980,
  "virtual-networks-per-region": 1000,
  "subnets-per-virtual-network": 3000,
  "public-ips-per-region": 1000,
  "nat-gateways-per-region": 1000,
  "network-security-groups-per-region": 5000,
  "rules-per-network-security-group": 1000,
  "route-tables-per-region": 200,
  "storage-accounts-per-region": 250,
  "managed-disks-per-region": 50_000,
} as const;

export type QuotaName = keyof typeof granted;

/** Returns the limit of one quota under the given conditions. */
export function getQuota(name: QuotaName, { quotas }: Pick<Conditions, "quotas">): number {
  return quotas[name] ?? granted[name];
}

/** Returns the limits of all quotas under the given conditions. */
export function listQuotas({ quotas }: Pick<Conditions, "quotas">): Readonly<Record<string, number>> {
  return { ...granted, ...quotas };
}
