import { getQuota } from "../../cloud/quotas.ts";
import { findRegion } from "../../cloud/regions.ts";
import type { HookContext } from "../../provider/definition.ts";
import { blockOf, numberOf, textOf, textsAt } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import { findVmSize } from "../compute/vm-sizes.ts";
import type { Refusal } from "../refusal.ts";
import { badRequest } from "./refusals.ts";
import { findVersion } from "./versions.ts";

/** The VM size that AKS chooses for a pool that does not request one. */
const defaultSize = "Standard_D2s_v5";

/** Returns an error if AKS rejects the pool's settings. */
export function checkPool(pool: ValueMap, location: string): readonly Refusal[] {
  const name = textOf(pool["name"]);
  if (!/^[a-z][a-z0-9]{0,11}$/.test(name)) {
    const message = `The agent pool name '${name}' is invalid. It must start with a lower-case letter and consist of at most 12 lower-case letters and digits.`;
    return [badRequest(message, "name")];
  }
  const size = textOf(pool["vm_size"]);
  if (size !== "" && findVmSize(size) === undefined) {
    const message = `The VM size of ${size} is not allowed in your subscription in location '${location}'.`;
    return [{ code: "BadRequest", message, path: ["vm_size"] }];
  }
  const zones = findRegion("azure", location)?.zones.map((zone) => zone.split("-").at(-1)) ?? [];
  const strange = textsAt(pool, "zones").find((zone) => !zones.includes(zone));
  if (strange !== undefined) {
    const message = `Preflight validation check for resource(s) failed. The zone(s) '${strange}' for resource '${name}' is not supported. The supported zones for location '${location}' are '${zones.join(",")}'.`;
    return [{ code: "AvailabilityZoneNotSupported", message, path: ["zones"] }];
  }
  return [...checkLimits(pool), ...checkSizes(pool)];
}

/** Checks the size of the nodes' disks and the number of pods per node. 0 stands for AKS's own choice. */
function checkLimits(pool: ValueMap): readonly Refusal[] {
  const [diskGib, pods] = [numberOf(pool["os_disk_size_gb"]), numberOf(pool["max_pods"])];
  if (diskGib !== 0 && (diskGib < 30 || diskGib > 2048))
    return [badRequest(`The value of osDiskSizeGB ${diskGib} is invalid. It must be between 30 and 2048.`, "os_disk_size_gb")];
  return pods !== 0 && (pods < 10 || pods > 250)
    ? [badRequest(`The value of maxPods ${pods} is invalid. It must be between 10 and 250.`, "max_pods")]
    : [];
}

function checkSizes(pool: ValueMap): readonly Refusal[] {
  const [count, min, max] = [numberOf(pool["node_count"]), numberOf(pool["min_count"]), numberOf(pool["max_count"])];
  if (pool["auto_scaling_enabled"] !== true) {
    return min > 0 || max > 0
      ? [badRequest("`max_count` and `min_count` must be set to `null` when auto_scaling_enabled is set to `false`", "min_count")]
      : [];
  }
  if (min > max) return [badRequest("`max_count` must be >= `min_count`", "max_count")];
  return pool["node_count"] !== undefined && typeof pool["node_count"] === "number" && (count < min || count > max)
    ? [badRequest(`The node count ${count} must be between the minimum ${min} and the maximum ${max}.`, "node_count")]
    : [];
}

/** Returns an error if all pools together would exceed the account's vCPU quota. `ownId` is the id of the cluster or pool being changed. */
export async function countProcessors(ownId: string, pool: ValueMap, context: HookContext): Promise<readonly Refusal[]> {
  const clusters = (await context.list("azurerm_kubernetes_cluster"))
    .filter(({ id }) => id !== ownId)
    .map(({ attributes }) => blockOf(attributes, "default_node_pool"));
  const pools = (await context.list("azurerm_kubernetes_cluster_node_pool"))
    .filter(({ id }) => id !== ownId)
    .map(({ attributes }) => attributes);
  const count = (each: ValueMap): number => countNodes(each) * (findVmSize(textOf(each["vm_size"]) || defaultSize)?.vcpus ?? 2);
  const wanted = count(pool);
  const used = [...clusters, ...pools].reduce((sum, each) => sum + count(each), 0);
  const limit = getQuota("vcpus-per-region", context.conditions);
  if (used + wanted <= limit) return [];
  const message = `Insufficient regional vcpu quota left for location. left regional vcpu quota ${Math.max(0, limit - used)}, requested quota ${wanted}.`;
  return [{ code: "ErrCode_InsufficientVCPUQuota", message }];
}

/** Returns the number of nodes that a pool should have. */
export function countNodes(pool: ValueMap): number {
  return numberOf(pool["node_count"]) || numberOf(pool["min_count"]);
}

/** Returns the values that AKS chooses for settings that the pool omits. */
export function describePool(pool: ValueMap, version: string): ValueMap {
  const size = findVmSize(textOf(pool["vm_size"]) || defaultSize);
  const isLarge = (size?.vcpus ?? 2) >= 8;
  return {
    vm_size: defaultSize,
    node_count: numberOf(pool["min_count"]) || (pool["auto_scaling_enabled"] === true ? 0 : 1),
    max_pods: 250,
    node_labels: {},
    orchestrator_version: textOf(pool["orchestrator_version"]) || version,
    os_disk_size_gb: isLarge ? 512 : 128,
    os_sku: "Ubuntu",
    kubelet_disk_type: "OS",
    workload_runtime: "OCIContainer",
  };
}

/** Returns the full version of a pool's nodes, such as `1.34.2`. */
export function versionOfPool(pool: ValueMap): string {
  const written = textOf(pool["orchestrator_version"]);
  return findVersion(written)?.patch ?? written;
}
