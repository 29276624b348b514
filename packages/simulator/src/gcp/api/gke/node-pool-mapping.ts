import { listOf, numberOf, objectOf, textOf, textsOf } from "@cloudwright/platform";
import type { ResourceMapping } from "../../../api/map-fields.ts";
import { mapOf } from "../../../values/read-value.ts";
import { isList, isMap, type Value, type ValueMap } from "../../../values/value.ts";

/** The fields of a node pool. */
export const nodePoolMapping: ResourceMapping = {
  type: "google_container_node_pool",
  model: "NodePool",
  fields: [
    ["name", "name"],
    ["initialNodeCount", "initial_node_count"],
    ["version", "version"],
    { api: "locations", attribute: "node_locations", read: (value) => textsOf(value).toSorted() },
    { api: "instanceGroupUrls", attribute: "instance_group_urls", isReadOnly: true },
    ["config.machineType", "node_config.0.machine_type"],
    { api: "config.diskSizeGb", attribute: "node_config.0.disk_size_gb", write: (value) => Number(value) },
    ["config.diskType", "node_config.0.disk_type"],
    ["config.imageType", "node_config.0.image_type"],
    { api: "config.labels", attribute: "node_config.0.labels", read: nonEmpty },
    { api: "config.metadata", attribute: "node_config.0.metadata", read: nonEmpty },
    { api: "config.resourceLabels", attribute: "node_config.0.resource_labels", read: nonEmpty },
    { api: "config.oauthScopes", attribute: "node_config.0.oauth_scopes", read: nonEmpty },
    { api: "config.tags", attribute: "node_config.0.tags", read: nonEmpty },
    ["config.serviceAccount", "node_config.0.service_account"],
    ["config.spot", "node_config.0.spot"],
    ["config.preemptible", "node_config.0.preemptible"],
    ["config.bootDiskKmsKey", "node_config.0.boot_disk_kms_key"],
    ["config.minCpuPlatform", "node_config.0.min_cpu_platform"],
    { api: "config.taints", attribute: "node_config.0.taint", read: nonEmpty, write: fromTaints },
    { api: "config.accelerators", attribute: "node_config.0.guest_accelerator", read: toAccelerators, write: fromAccelerators },
    ["config.workloadMetadataConfig.mode", "node_config.0.workload_metadata_config.0.mode"],
    ["config.shieldedInstanceConfig.enableSecureBoot", "node_config.0.shielded_instance_config.0.enable_secure_boot"],
    [
      "config.shieldedInstanceConfig.enableIntegrityMonitoring",
      "node_config.0.shielded_instance_config.0.enable_integrity_monitoring",
    ],
    { api: "autoscaling", attribute: "autoscaling", read: toAutoscaling, write: fromAutoscaling },
    ["management.autoUpgrade", "management.0.auto_upgrade"],
    ["management.autoRepair", "management.0.auto_repair"],
    {
      api: "maxPodsConstraint.maxPodsPerNode",
      attribute: "max_pods_per_node",
      read: (value) => (numberOf(value) > 0 ? String(numberOf(value)) : undefined),
      write: (value) => Number(value),
    },
    ["networkConfig.subnetwork", "network_config.0.subnetwork"],
    ["networkConfig.podRange", "network_config.0.pod_range"],
    ["networkConfig.podIpv4CidrBlock", "network_config.0.pod_ipv4_cidr_block"],
    ["networkConfig.enablePrivateNodes", "network_config.0.enable_private_nodes"],
    ["upgradeSettings.maxSurge", "upgrade_settings.0.max_surge"],
    ["upgradeSettings.maxUnavailable", "upgrade_settings.0.max_unavailable"],
    ["upgradeSettings.strategy", "upgrade_settings.0.strategy"],
  ],
};

function nonEmpty(value: Value): unknown {
  if (isList(value)) return value.length === 0 ? undefined : value;
  return isMap(value) && Object.keys(value).length > 0 ? value : undefined;
}

function fromTaints(value: unknown): Value {
  return listOf(value)
    .map(objectOf)
    .map((taint) => ({ key: textOf(taint["key"]), value: textOf(taint["value"]), effect: textOf(taint["effect"]) }));
}

function toAccelerators(value: Value): unknown {
  const found = (isList(value) ? value : []).map(mapOf).map(({ type = null, count = null }) => ({
    acceleratorType: textOf(type),
    acceleratorCount: String(numberOf(count)),
  }));
  return found.length === 0 ? undefined : found;
}

function fromAccelerators(value: unknown): Value {
  return listOf(value)
    .map(objectOf)
    .map((each) => ({ type: textOf(each["acceleratorType"]), count: Number(each["acceleratorCount"] ?? 0) }));
}

const limits: readonly (readonly [api: string, attribute: string])[] = [
  ["minNodeCount", "min_node_count"],
  ["maxNodeCount", "max_node_count"],
  ["totalMinNodeCount", "total_min_node_count"],
  ["totalMaxNodeCount", "total_max_node_count"],
];

function toAutoscaling(value: Value): unknown {
  const [block] = isList(value) ? value : [];
  if (block === undefined) return undefined;
  const given = mapOf(block);
  const counts = limits.filter(([, name]) => numberOf(given[name]) > 0).map(([api, name]) => [api, numberOf(given[name])]);
  const policy = textOf(given["location_policy"]);
  return { enabled: true, ...Object.fromEntries(counts), ...(/^(BALANCED|ANY)$/.test(policy) ? { locationPolicy: policy } : {}) };
}

function fromAutoscaling(value: unknown): Value {
  const given = objectOf(value);
  if (given["enabled"] !== true) return [];
  const counts = limits.filter(([api]) => given[api] !== undefined).map(([api, name]) => [name, Number(given[api])]);
  const usual = { location_policy: textOf(given["locationPolicy"]) || "BALANCED" };
  return [{ ...usual, ...(Object.fromEntries(counts) as ValueMap) }];
}
