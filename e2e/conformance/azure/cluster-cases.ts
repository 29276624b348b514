import type { ConformanceCase } from "../conformance-case.ts";
import { given, owner, region, subnets } from "./fixtures.ts";
import { guid } from "./identity-types.ts";

const pool = (desired: number, more: object = {}): object => ({
  instance_type: "Standard_D2s_v5",
  min: desired,
  desired,
  max: desired,
  ...more,
});
const least = { cluster_name: "dev", region, node_subnet_id: subnets.nodes, node_pools: { default: pool(2) }, owner };
const restricted = {
  ...least,
  cluster_version: "1.33",
  outbound_type: "userAssignedNATGateway",
  nat_public_ips: ["203.0.113.9"],
  public_access_cidrs: ["198.51.100.1/32"],
};

const pools = {
  default: pool(2, {
    zones: ["1", "2", "3"],
    os: "ubuntu",
    max_pods: 60,
    max_surge: "33%",
    only_system_pods: true,
    disk_size_gib: 64,
    labels: { a: "b" },
    tags: { part: "system" },
  }),
  "very-long-pool-name": pool(1, { system: true, zones: ["1"], disk_size_gib: 64, labels: { a: "b" }, tags: { team: "a" } }),
  gpu: pool(1, {
    instance_type: "Standard_NC4as_T4_v3",
    taints: [
      { key: "gpu", value: "yes", effect: "NoSchedule" },
      { key: "alone", effect: "NoExecute" },
    ],
    os_disk: "ephemeral",
  }),
  arm: pool(1, { instance_type: "Standard_D4ps_v5", drain_timeout_minutes: 60, os: "azure-linux" }),
  spot: {
    instance_type: "Standard_D4s_v5",
    min: 0,
    desired: 1,
    max: 5,
    autoscaling: true,
    capacity: "spot",
    spot_max_price: 0.5,
  },
  auto: { instance_type: "Standard_D4s_v5", min: 1, max: 5, autoscaling: true },
};
const whole = {
  ...restricted,
  cluster_name: "a-very-long-cluster-name--that-must-be-shortened-somewhere",
  resource_group_name: "existing",
  tier: "premium",
  long_term_support: true,
  upgrade_channel: "patch",
  node_os_upgrade_channel: "security-patch",
  maintenance_window: { day: "sunday", start: "02:00", hours: 4 },
  pod_subnet_id: subnets.pods,
  api_server_subnet_id: subnets.apiServer,
  service_cidr: "172.20.0.0/16",
  entra: { admin_group_ids: [guid("admins")] },
  local_accounts: false,
  access_entries: [
    { principal_id: guid("ada"), policy: "cluster-admin" },
    { principal_id: guid("bob"), policy: "view", namespaces: ["apps", "web"] },
  ],
  container_registry_ids: [given.registry],
  log_analytics_workspace_id: given.workspace,
  managed_prometheus: true,
  disk_encryption_set_id: given.diskEncryptionSet,
  host_encryption: true,
  addons: ["app-routing", "azure-policy", "blob-csi-driver", "keda", "key-vault-secrets-provider", "vertical-pod-autoscaler"],
  kept_defaults: { since: "v1.0.0", public_access_cidrs: ["198.51.100.1/32"], autoscalers: true },
  node_pools: pools,
  tags: { team: "a" },
};

const both = (version: string): ConformanceCase[] => [
  {
    title: "the defaults",
    place: `kubernetes/azure/${version}`,
    variables: least,
    changes: [
      { variables: { tags: { team: "b" } } },
      { variables: { public_access_cidrs: ["198.51.100.1/32"], nat_public_ips: ["203.0.113.9"] } },
      { variables: { public_access_cidrs: ["0.0.0.0/0"] } },
      { variables: { tier: "free" } },
    ],
  },
  {
    title: "a public cluster and its changes",
    place: `kubernetes/azure/${version}`,
    variables: restricted,
    changes: [
      {
        variables: {
          tags: { team: "b" },
          tier: "premium",
          long_term_support: true,
          upgrade_channel: "stable",
          cluster_version: null,
        },
      },
      {
        variables: {
          upgrade_channel: "none",
          maintenance_window: { day: "monday", start: "22:30", hours: 8 },
          public_access_cidrs: ["198.51.100.0/24", "192.0.2.0/24"],
          node_os_upgrade_channel: "none",
        },
      },
      {
        variables: {
          upgrade_channel: "node-image",
          node_os_upgrade_channel: "node-image",
          maintenance_window: { day: "friday", start: "00:00", hours: 4 },
        },
      },
      { variables: { maintenance_window: null, node_pools: { ...pools, default: pool(3) } } },
      {
        variables: {
          node_pools: {
            ...pools,
            default: { ...pool(3), max: 6, autoscaling: true },
            auto: pool(2),
            spot: { ...pools.spot, max: 7 },
          },
        },
      },
      {
        variables: {
          node_pools: {
            default: pool(3),
            arm: pool(2, {
              instance_type: "Standard_D4ps_v5",
              labels: { x: "y" },
              taints: [{ key: "arm", effect: "NoSchedule" }],
              max_surge: "2",
            }),
          },
          cluster_version: "1.34",
        },
        mayRemove: /node_pool/,
      },
      {
        variables: {
          addons: whole.addons,
          managed_prometheus: true,
          log_analytics_workspace_id: given.workspace,
          container_registry_ids: [given.registry],
        },
      },
      {
        variables: {
          addons: [],
          kept_defaults: { autoscalers: true },
          managed_prometheus: false,
          log_analytics_workspace_id: null,
          container_registry_ids: [],
          entra: {},
        },
        mayRemove: /role_assignment/,
      },
      {
        variables: { local_accounts: false, access_entries: whole.access_entries, entra: { admin_group_ids: [guid("admins")] } },
      },
    ],
  },
  {
    title: "every setting",
    place: `kubernetes/azure/${version}`,
    variables: whole,
    changes: [
      {
        variables: {
          tags: {},
          addons: ["keda"],
          managed_prometheus: false,
          log_analytics_workspace_id: null,
          maintenance_window: { day: "tuesday", start: "23:59", hours: 24 },
        },
      },
      { variables: { cluster_version: "1.34", access_entries: [], local_accounts: true }, mayRemove: /role_assignment/ },
    ],
  },
  {
    title: "a private cluster",
    place: `kubernetes/azure/${version}`,
    variables: {
      ...least,
      cluster_name: "locked",
      public_access: false,
      pod_cidr: "10.240.0.0/12",
      outbound_type: "userDefinedRouting",
      purge_protection: true,
    },
    changes: [{ variables: { tags: { a: "b" } } }],
    // A vault with purge protection cannot be purged, so the second creation recovers it.
    isRepeated: true,
  },
  {
    title: "a private cluster with an existing DNS zone, identities and key",
    place: `kubernetes/azure/${version}`,
    variables: {
      ...least,
      public_access: false,
      private_dns_zone_id: given.dnsZone,
      identities: { cluster: given.clusterIdentity, kubelet: given.kubeletIdentity },
      kms_key: { id: given.key },
      system_pool: "first-pool",
      node_pools: { "first-pool": pool(1) },
    },
    changes: [{ variables: { tags: { a: "b" } } }],
  },
  {
    title: "a private cluster in a network with a subnet for API servers, and a key in an existing vault",
    place: `kubernetes/azure/${version}`,
    variables: {
      ...least,
      public_access: false,
      private_dns_zone_id: given.dnsZone,
      api_server_subnet_id: subnets.apiServer,
      kms_key: { id: given.key, vault_id: given.vault },
    },
    changes: [{ variables: { tags: { a: "b" } } }],
  },
  {
    title: "a public cluster with a subnet for API servers",
    place: `kubernetes/azure/${version}`,
    variables: {
      ...least,
      api_server_subnet_id: subnets.apiServer,
      node_os_upgrade_channel: "unmanaged",
      upgrade_channel: "rapid",
    },
    changes: [{ variables: { public_access_cidrs: ["192.0.2.0/24"] } }, { variables: { public_access_cidrs: [] } }],
  },
];

/** Conformance cases for the cluster configurations. */
export const clusterCases: readonly ConformanceCase[] = [
  ...both("v1.0.0"),
  ...both("v1.1.0"),
  {
    title: "settings that v1.1.0 added",
    place: "kubernetes/azure/v1.1.0",
    variables: { ...least, image_cleaner: false, workload_identities: { "apps/web": given.kubeletIdentity } },
    changes: [
      { variables: { image_cleaner: true, workload_identities: {} }, mayRemove: /federated/ },
      { variables: { image_cleaner: false } },
    ],
  },
  {
    title: "upgrade of a cluster with defaults",
    place: "kubernetes/azure/v1.0.0",
    variables: least,
    changes: [{ place: "kubernetes/azure/v1.1.0" }],
  },
  {
    title: "upgrade of a cluster with every setting",
    place: "kubernetes/azure/v1.0.0",
    variables: whole,
    changes: [{ place: "kubernetes/azure/v1.1.0" }],
  },
];
