import { isObject, objectOf, textOf, textsOf } from "@cloudwright/platform";
import { readFields, writeFields, type FieldMapping, type ResourceMapping } from "../../../api/map-fields.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { blockOf, mapOf } from "../../../values/read-value.ts";
import { isList, type Value, type ValueMap } from "../../../values/value.ts";
import { versionOfPool } from "../../aks/pools.ts";
import { refuse } from "../errors.ts";

const zones = (value: Value): readonly string[] | undefined => {
  const given = textsOf(value).toSorted();
  return given.length === 0 ? undefined : given;
};
const orAbsent = (value: Value): Value | undefined =>
  (isList(value) && value.length === 0) || Object.keys(mapOf(value)).length + Number(!isObject(value)) === 0 ? undefined : value;

/** The fields that all agent pools have. */
const shared: readonly FieldMapping[] = [
  ["count", "node_count"],
  ["vmSize", "vm_size"],
  ["osSKU", "os_sku"],
  ["osDiskSizeGB", "os_disk_size_gb"],
  ["osDiskType", "os_disk_type"],
  ["kubeletDiskType", "kubelet_disk_type"],
  ["maxPods", "max_pods"],
  ["orchestratorVersion", "orchestrator_version"],
  ["enableAutoScaling", "auto_scaling_enabled"],
  ["minCount", "min_count"],
  ["maxCount", "max_count"],
  { api: "nodeLabels", attribute: "node_labels", read: orAbsent },
  { api: "availabilityZones", attribute: "zones", read: zones },
  ["vnetSubnetID", "vnet_subnet_id"],
  ["podSubnetID", "pod_subnet_id"],
  ["enableNodePublicIP", "node_public_ip_enabled"],
  ["enableEncryptionAtHost", "host_encryption_enabled"],
  ["enableUltraSSD", "ultra_ssd_enabled"],
  ["enableFIPS", "fips_enabled"],
  ["scaleDownMode", "scale_down_mode"],
  ["workloadRuntime", "workload_runtime"],
  ["upgradeSettings.maxSurge", "upgrade_settings.0.max_surge"],
  ["upgradeSettings.drainTimeoutInMinutes", "upgrade_settings.0.drain_timeout_in_minutes"],
  { api: "tags", attribute: "tags", read: orAbsent },
];

/** The fields of an agent pool that has its own record. */
export const poolMapping: ResourceMapping = {
  type: "azurerm_kubernetes_cluster_node_pool",
  model: "ManagedClusterAgentPoolProfileProperties",
  fields: [
    ...shared,
    ["mode", "mode"],
    ["osType", "os_type"],
    { api: "nodeTaints", attribute: "node_taints", read: orAbsent },
    { api: "scaleSetPriority", attribute: "priority", read: (value) => (value === "Spot" ? value : undefined) },
    ["scaleSetEvictionPolicy", "eviction_policy"],
    {
      api: "spotMaxPrice",
      attribute: "spot_max_price",
      read: (value, { attributes }) => (attributes["priority"] === "Spot" ? value : undefined),
    },
    { api: "nodeImageVersion", attribute: "node_image_version", isReadOnly: true },
  ],
};

/** The fields of a cluster's first pool, which Terraform treats as a part of the cluster. Paths start at the block. */
export const firstPoolMapping: ResourceMapping = {
  type: "azurerm_kubernetes_cluster",
  model: "ManagedClusterAgentPoolProfileProperties",
  fields: [...shared, ["type", "type"]],
};

const criticalOnly = "CriticalAddonsOnly=true:NoSchedule";

/** Renders the properties of a cluster's first pool. */
export function renderFirstPool({ attributes, ...key }: CloudRecord): Record<string, unknown> {
  const block = blockOf(attributes, "default_node_pool");
  const taints = block["only_critical_addons_enabled"] === true ? { nodeTaints: [criticalOnly] } : {};
  const fields = readFields(firstPoolMapping, { ...key, attributes: block });
  return { ...fields, ...taints, mode: "System", osType: "Linux", currentOrchestratorVersion: versionOfPool(block) };
}

/** Renders the properties of a pool that has its own record. */
export function renderPool(record: CloudRecord): Record<string, unknown> {
  const fields = readFields(poolMapping, record);
  return { ...fields, type: "VirtualMachineScaleSets", currentOrchestratorVersion: versionOfPool(record.attributes) };
}

/** Returns the attributes of the pool in a request. A request contains the whole pool. */
export function writePool(mapping: ResourceMapping, properties: unknown): ValueMap {
  const given = objectOf(properties);
  const scaling = given["enableAutoScaling"] === true ? {} : { auto_scaling_enabled: false, min_count: null, max_count: null };
  return { ...writeFields(mapping, given), ...scaling };
}

/** Returns the attributes of a cluster's first pool. Refuses settings that Terraform's type cannot represent. */
export function writeFirstPool(properties: unknown): ValueMap {
  const given = objectOf(properties);
  const mode = textOf(given["mode"]);
  if (mode !== "" && mode !== "System") {
    refuse("OperationNotAllowed", "There has to be at least one system agent pool.", 400);
  }
  const taints = textsOf(given["nodeTaints"]);
  if (taints.some((taint) => taint !== criticalOnly)) {
    refuse("InvalidParameter", `The only taint of a system agent pool that is simulated is ${criticalOnly}.`, 400);
  }
  const critical = given["nodeTaints"] === undefined ? {} : { only_critical_addons_enabled: taints.length > 0 };
  return { ...writePool(firstPoolMapping, given), ...critical };
}
