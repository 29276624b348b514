import { createRandom, type Random } from "@cloudwright/platform/testing";
import type { ConformanceCase, Variables } from "../conformance-case.ts";
import { createRandomCase, pickSome } from "../random-case.ts";
import { given, idOf, owner, region, subnets } from "./fixtures.ts";
import { guid } from "./identity-types.ts";

const zones = ["1", "2", "3"];
const autoscalers = ["keda", "vertical-pod-autoscaler"];
const key = idOf("Microsoft.KeyVault/vaults", "existing-keys/keys/storage");
const kept = ["azurerm_kubernetes_cluster", "azurerm_virtual_network", "azurerm_resource_group", "azurerm_storage_account"];

/** Returns cases with random combinations of settings. Each case then changes to another random combination. */
export function listRandomCases(seed: number): readonly ConformanceCase[] {
  const random = createRandom(seed);
  const create = (place: string, fixed: Variables, pick: () => Variables): ConformanceCase =>
    createRandomCase({ place, seed, kept }, fixed, pick);
  return [0, 1].flatMap((minor): ConformanceCase[] => [
    create(`network/azure/v1.${minor}.0`, pickFixedNetwork(random), () => pickNetwork(random, minor === 1)),
    create("kubernetes/azure/v1.1.0", pickFixedCluster(random), createClusterPicker(random)),
    create("storage/azure/v1.1.0", { name: pickName(random), region, owner }, () => ({ bucket: pickBucket(random) })),
  ]);
}

function pickName(random: Random): string {
  return random.pick(["n", "a".repeat(63), "ends-with-"]);
}

function pickTags(random: Random): object {
  return Object.fromEntries(pickSome(random, ["team", "cost center", "Größe"]).map((name) => [name, `v${random.whole(0, 99)}`]));
}

function pickFixedNetwork(random: Random): Variables {
  const range = random.pick([{}, { cidr_range: "10.64.0.0/12" }, { cidr_range: "10.1.0.0/24" }]);
  const group = random.pick([null, "existing"]);
  return { name: pickName(random), region, owner, zones, resource_group_name: group, ...range };
}

function pickNetwork(random: Random, isLater: boolean): Variables {
  const rules = [
    { name: "no-smtp", priority: 100, direction: "out", action: "deny", protocol: "tcp", from_port: 25, to_port: 25 },
    {
      name: "Web_1",
      priority: random.pick([110, 4094]),
      direction: "in",
      action: "allow",
      protocol: "udp",
      from_port: 0,
      to_port: 65_535,
    },
    { name: "ping", priority: 110, direction: "out", action: "allow", protocol: random.pick(["icmp", "all"]) },
  ];
  const routes = [
    { name: "office", cidr: "172.16.0.0/16", next_hop: "appliance", next_hop_ip: "10.0.0.4" },
    { name: "vpn", cidr: "172.17.0.0/16", next_hop: random.pick(["gateway", "none", "internet"]) },
  ];
  return {
    pod_subnet: random.chance(0.5),
    api_server_subnet: random.chance(0.5),
    nat: random.pick(["none", "single", "per-zone"]),
    nat_ips: random.whole(1, 3),
    load_balancer_ips: random.whole(0, 2),
    private_dns: random.chance(0.5),
    service_endpoints: pickSome(random, ["Microsoft.Storage", "Microsoft.KeyVault", "Microsoft.AzureCosmosDB"]),
    security_rules: pickSome(random, rules).map((rule) => ({ ...rule, cidr: random.pick(["192.0.2.0/24", "0.0.0.0/0"]) })),
    routes: pickSome(random, routes),
    tags: pickTags(random),
    ...(isLater ? { default_outbound_access: random.chance(0.5) } : {}),
  };
}

function pickFixedCluster(random: Random): Variables {
  return {
    cluster_name: pickName(random),
    region,
    owner,
    node_subnet_id: subnets.nodes,
    resource_group_name: random.pick([null, "existing"]),
    outbound_type: random.pick(["loadBalancer", "userAssignedNATGateway", "userDefinedRouting"]),
    ...random.pick([{}, { pod_subnet_id: subnets.pods }]),
    ...random.pick([{}, { kms_key: { id: given.key, vault_id: given.vault } }]),
    ...random.pick([{}, { identities: { cluster: given.clusterIdentity, kubelet: given.kubeletIdentity } }]),
    ...random.pick([{}, { host_encryption: true, disk_encryption_set_id: given.diskEncryptionSet }]),
    // Once enabled, Entra ID cannot be turned off.
    entra: random.pick([null, { admin_group_ids: [guid("admins")] }]),
  };
}

/**
 * Creates a function that picks random settings for one cluster. Like the platform, the function records whether autoscalers have ever
 * been turned on. It sets the desired size of a pool with autoscaling only when the pool is created.
 */
function createClusterPicker(random: Random): () => Variables {
  const since = random.pick([{}, { since: "v1.1.0" }]);
  let hadAutoscalers = false;
  const built = new Set<string>();
  return () => {
    const keptDefaults = { ...since, autoscalers: hadAutoscalers };
    const chosen = pickSome(random, [
      ...autoscalers,
      "app-routing",
      "azure-policy",
      "blob-csi-driver",
      "key-vault-secrets-provider",
    ]);
    hadAutoscalers ||= autoscalers.some((name) => chosen.includes(name));
    const pools = Object.entries(pickPools(random)).map(([name, pool]) => {
      const isBuilt = built.has(name);
      built.add(name);
      return [name, isBuilt && pool.autoscaling ? { ...pool, desired: null } : pool];
    });
    return { ...pickCluster(random), addons: chosen, kept_defaults: keptDefaults, node_pools: Object.fromEntries(pools) };
  };
}

function pickCluster(random: Random): Variables {
  const channel = random.pick(["none", "patch", "stable", "rapid", "node-image"]);
  return {
    tier: random.pick(["free", "standard", "premium"]),
    upgrade_channel: channel,
    node_os_upgrade_channel:
      channel === "node-image" ? channel : random.pick(["node-image", "security-patch", "unmanaged", "none"]),
    maintenance_window: random.pick([
      null,
      { day: "monday", start: "22:30", hours: 4 },
      { day: "sunday", start: "00:00", hours: 24 },
    ]),
    public_access_cidrs: pickSome(random, ["192.0.2.0/24", "198.51.100.7/32"]),
    workload_identities: random.pick([{}, { "apps/web": given.kubeletIdentity }]),
    image_cleaner: random.chance(0.5),
    container_registry_ids: pickSome(random, [given.registry]),
    log_analytics_workspace_id: random.pick([null, given.workspace]),
    managed_prometheus: random.chance(0.5),
    tags: pickTags(random),
  };
}

interface Pool {
  readonly autoscaling: boolean;
  readonly [name: string]: unknown;
}

function pickPools(random: Random): Readonly<Record<string, Pool>> {
  const system = {
    instance_type: "Standard_D2s_v5",
    desired: random.whole(1, 3),
    min: 1,
    max: 3,
    autoscaling: random.chance(0.5),
  };
  const others = pickSome(random, ["a", "b".repeat(63), "c-1"]).map((name) => [name, pickPool(random)] as const);
  return { default: system, ...Object.fromEntries(others) };
}

function pickPool(random: Random): Pool {
  const [min, desired, max] = [random.whole(0, 2), random.whole(2, 4), random.whole(4, 9)];
  const taints = [
    { key: "only", value: "x", effect: "NoExecute" },
    { key: "bare", effect: "NoSchedule" },
  ];
  return {
    instance_type: random.pick(["Standard_D4s_v5", "Standard_D4ps_v5", "Standard_NC4as_T4_v3"]),
    min,
    desired,
    max,
    autoscaling: random.chance(0.5),
    capacity: random.pick(["on-demand", "spot"]),
    disk_size_gib: random.pick([30, 100, 2048]),
    os: random.pick(["azure-linux", "ubuntu"]),
    zones: pickSome(random, zones),
    labels: random.pick([{}, { "example.org/for": "web" }]),
    taints: pickSome(random, taints),
    max_pods: random.pick([10, 110, 250]),
    ...random.pick([{}, { max_surge: "33%" }, { max_surge: "2", drain_timeout_minutes: 60 }]),
    tags: pickTags(random),
  };
}

function pickBucket(random: Random): object {
  const transitions = [
    { after_days: 30, storage_class: "Cool" },
    { after_days: 60, storage_class: "Cold" },
  ];
  const rule = {
    id: "any",
    prefix: random.pick(["", "logs/"]),
    expire_after_days: 400,
    transitions: pickSome(random, transitions),
  };
  return {
    versioning: random.chance(0.5),
    expire_after_days: random.pick([0, 365]),
    key_id: random.pick([null, key]),
    soft_delete_days: random.pick([0, 7, 365]),
    shared_keys: random.chance(0.5),
    lifecycle_rules: pickSome(random, [rule, { id: "versions", expire_noncurrent_after_days: 7 }]),
  };
}
