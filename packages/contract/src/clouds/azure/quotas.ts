/** Limits that Azure grants to a new subscription, keyed by the names that simulated accounts use. */
export const azureQuotas = {
  "resource-groups": 980,
  "virtual-networks-per-region": 1000,
  "subnets-per-virtual-network": 3000,
  "public-ips-per-region": 1000,
  "nat-gateways-per-region": 1000,
  "network-security-groups-per-region": 5000,
  "application-security-groups-per-region": 3000,
  "rules-per-network-security-group": 1000,
  "route-tables-per-region": 200,
  "vcpus-per-region": 1152,
  "managed-clusters-per-region": 100,
  "node-pools-per-cluster": 100,
  "storage-accounts-per-region": 250,
  "managed-disks-per-region": 50_000,
} as const;
