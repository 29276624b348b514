/** Limits that Google Cloud grants to a new project, keyed by the names that simulated accounts use. */
export const gcpQuotas = {
  "networks-per-project": 15,
  "subnets-per-project": 275,
  "firewalls-per-project": 200,
  "routers-per-project": 20,
  "static-addresses-per-region": 8,
  "vcpus-per-region": 1152,
  "managed-clusters-per-region": 100,
  "node-pools-per-cluster": 100,
  "nodes-per-node-group": 450,
  "disk-gib-per-region": 40_960,
  "service-accounts": 100,
} as const;
