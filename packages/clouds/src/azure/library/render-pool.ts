import { checkCount, checkScale } from "../../library/check-request.ts";
import { refuseRequest } from "../../library/errors.ts";
import type { NodePoolRequest, NodeTaint } from "../../library/node-pools.ts";
import { minorOf } from "../../library/versions.ts";
import type { ManagedClusterAgentPoolProfileProperties } from "../models.ts";
import { tokenTag, type AzureContext } from "./context.ts";
import { mergeNative } from "./merge-native.ts";
import { readPoolName, readZone, type AzurePlace } from "./references.ts";

export const defaultPool = "default";

/** A small size that most locations offer and that is large enough for AKS's system pods. */
const defaultType = "Standard_D2s_v5";

/** Checks a request before anything is sent, and returns the pool's name. */
export function checkPool(place: AzurePlace, pool: NodePoolRequest): string {
  const name = readPoolName(place, pool.name ?? defaultPool);
  checkScale("azure", pool);
  if (pool.version !== undefined) minorOf("azure", pool.version);
  if (pool.diskGiB !== undefined) checkCount("azure", "diskGiB", pool.diskGiB, { least: 30, most: 2048 });
  if ((pool.subnets ?? []).length > 1) throw refuseRequest("azure", `the agent pool ${name} can have only one subnet`);
  for (const zone of pool.zones ?? []) readZone(zone);
  return name;
}

/** Renders the properties of a new agent pool. */
export function renderPool(
  { options }: Pick<AzureContext, "options">,
  pool: NodePoolRequest,
  { token, version, mode }: { readonly token: string; readonly version?: string | undefined; readonly mode: "System" | "User" },
): Record<string, unknown> {
  const { count, type = defaultType, labels, taints, zones, subnets = [], spot, diskGiB, tags } = pool;
  return mergeNative(pool.native, {
    count,
    vmSize: type,
    mode,
    type: "VirtualMachineScaleSets",
    osType: "Linux",
    orchestratorVersion: version,
    ...renderScaling(pool),
    nodeLabels: labels,
    nodeTaints: taints?.map(renderTaint),
    availabilityZones: zones?.map(readZone),
    vnetSubnetID: subnets[0],
    osDiskSizeGB: diskGiB,
    ...(spot === true ? { scaleSetPriority: "Spot", scaleSetEvictionPolicy: "Delete", spotMaxPrice: -1 } : {}),
    tags: { ...options.tags, ...tags, [tokenTag]: token },
  });
}

/** Turns the AKS autoscaler on if a maximum is set. */
function renderScaling({ count, min, max }: Pick<NodePoolRequest, "count" | "min" | "max">) {
  return max === undefined ? {} : { enableAutoScaling: true, minCount: min ?? Math.min(1, count), maxCount: max };
}

/** Renders the autoscaling limits of a pool after a change. Limits that the request omits are kept. */
export function changeScaling(
  { count = 0, minCount, maxCount, enableAutoScaling }: ManagedClusterAgentPoolProfileProperties,
  { min, max }: Pick<NodePoolRequest, "min" | "max">,
): Record<string, unknown> {
  const isScaled = enableAutoScaling === true;
  const [least, most] = [min ?? (isScaled ? minCount : undefined), max ?? (isScaled ? maxCount : undefined)];
  if (most === undefined)
    throw refuseRequest(
      "azure",
      "min needs max, because the pool has a fixed number of nodes; set max to turn the autoscaler on",
    );
  const nodes = Math.min(Math.max(count, least ?? 0), most);
  checkScale("azure", { count: nodes, max: most, ...(least === undefined ? {} : { min: least }) });
  return { enableAutoScaling: true, minCount: least ?? Math.min(1, count), maxCount: most, count: nodes };
}

/** AKS writes taints as kubectl does: `key=value:NoSchedule`. */
export function renderTaint({ key, value = "", effect }: NodeTaint): string {
  return `${key}=${value}:${effect}`;
}
