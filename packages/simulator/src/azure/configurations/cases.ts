export const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const subscription = "00000000-0000-0000-0000-000000000000";
export const apply = ["apply", "-auto-approve", "-json"] as const;
export const destroy = ["destroy", "-auto-approve", "-json"] as const;

/** Variables for a network with every type of resource. */
export const wholeNetwork = {
  name: "net",
  region: "westeurope",
  zones: ["1", "2", "3"],
  nat: "single",
  nat_ips: 2,
  load_balancer_ips: 2,
  pod_subnet: true,
  api_server_subnet: true,
  private_dns: true,
  service_endpoints: ["Microsoft.Storage"],
  security_rules: [
    {
      name: "no-smtp",
      priority: 100,
      direction: "out",
      action: "deny",
      protocol: "tcp",
      from_port: 25,
      to_port: 25,
      cidr: "0.0.0.0/0",
    },
  ],
  routes: [{ name: "office", cidr: "172.16.0.0/16", next_hop: "appliance", next_hop_ip: "10.0.0.4" }],
  owner,
  tags: { team: "a" },
};

/** Variables for a bucket that uses every setting of storage/azure v1.0.0. */
export const wholeBucket = {
  name: "logs",
  region: "westeurope",
  bucket: {
    redundancy: "geo",
    versioning: true,
    expire_after_days: 365,
    key_id: `/subscriptions/${subscription}/resourceGroups/keys/providers/Microsoft.KeyVault/vaults/keys-1/keys/storage`,
    lifecycle_rules: [
      { id: "cold", prefix: "old/", transitions: [{ after_days: 30, storage_class: "Archive" }] },
      { id: "versions", expire_noncurrent_after_days: 7 },
    ],
  },
  owner,
};
