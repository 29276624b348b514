import type { HookContext } from "../../provider/definition.ts";
import { blockOf, textOf } from "../../values/read-value.ts";
import type { Problem } from "../../provider/definition.ts";
import type { Value, ValueMap } from "../../values/value.ts";
import type { Refusal } from "../refusal.ts";
import type { AzureChange, AzureResource } from "../resource.ts";
import { checkPool, countProcessors, describePool, versionOfPool } from "./pools.ts";
import { badRequest, inSubnet } from "./refusals.ts";
import { findVersion, minorOf } from "./versions.ts";

const pool: AzureResource = {
  noun: "Agent Pool",
  path: "{kubernetes_cluster_id}/agentPools/{name}",
  forceNew: [
    "capacity_reservation_group_id",
    "eviction_policy",
    "gpu_driver",
    "gpu_instance",
    "host_group_id",
    "node_public_ip_prefix_id",
    "os_type",
    "priority",
    "proximity_placement_group_id",
    "spot_max_price",
    "windows_profile",
  ],
  defaults: {
    mode: "User",
    os_disk_type: "Managed",
    os_type: "Linux",
    priority: "Regular",
    scale_down_mode: "Delete",
    spot_max_price: -1,
    ultra_ssd_enabled: false,
  },
  recompute: { node_image_version: ["orchestrator_version"] },
  names: [
    {
      path: "kubernetes_cluster_id",
      to: ["azurerm_kubernetes_cluster"],
      missing: (id) => ({
        code: "ResourceNotFound",
        message: `The Resource '${id.split("/providers/").at(-1) ?? id}' was not found.`,
        status: 404,
      }),
      tie: "follows",
    },
    inSubnet("vnet_subnet_id"),
    inSubnet("pod_subnet_id"),
  ],
  limits: [
    {
      quota: "node-pools-per-cluster",
      within: "kubernetes_cluster_id",
      refusal: (limit) => ({
        code: "AgentPoolsLimitExceeded",
        message: `The maximum number of agent pools (${limit}) has been reached.`,
      }),
    },
  ],
  takes: { create: 150, update: 90, delete: 120 },
  validate: (config) => validatePool(config),
  check: (change, context) => checkNodePool(change, context),
  compute: (change, context) => describeNodePool(change, context),
};

function validatePool(config: ValueMap): readonly Problem[] {
  const surge = textOf(blockOf(config, "upgrade_settings")["max_surge"]);
  if (config["priority"] === "Spot" && surge !== "") {
    return [{ summary: "`max_surge` cannot be set when `priority` is set to `Spot`. Spot pools do not support `max_surge`" }];
  }
  if (config["priority"] !== "Spot" && textOf(config["eviction_policy"]) !== "") {
    return [{ summary: "`eviction_policy` can only be set when `priority` is set to `Spot`", path: ["eviction_policy"] }];
  }
  return [];
}

async function checkNodePool({ operation, id, prior, planned }: AzureChange, context: HookContext): Promise<readonly Refusal[]> {
  if (operation === "delete") return [];
  const cluster = await context.find({ type: "azurerm_kubernetes_cluster", id: textOf(planned["kubernetes_cluster_id"]) });
  const own = blockOf(cluster?.attributes, "default_node_pool");
  if (operation === "create" && own["name"] === planned["name"]) {
    return [badRequest(`The agent pool name '${textOf(planned["name"])}' is already in use in this cluster.`, "name")];
  }
  const isSpot = planned["priority"] === "Spot";
  return [
    ...(isSpot && planned["mode"] === "System" ? [badRequest("A spot node pool can't be a system node pool.", "priority")] : []),
    ...checkVersion(prior, planned, textOf(cluster?.attributes["current_kubernetes_version"])),
    ...checkPool(planned, textOf(cluster?.attributes["location"])),
    ...(await countProcessors(id, planned, context)),
    ...checkNetwork(planned, own),
  ];
}

function checkVersion(prior: ValueMap, planned: ValueMap, above: string): readonly Refusal[] {
  const written = textOf(planned["orchestrator_version"]);
  const [before, after] = [versionOfPool(prior), versionOfPool(planned)];
  if (after === "" || before === after) return [];
  if (findVersion(written) === undefined) {
    const message = `Agent pool version ${written} is not supported in this region.`;
    return [{ code: "AgentPoolK8sVersionNotSupported", message, path: ["orchestrator_version"] }];
  }
  if (minorOf(after) > minorOf(above)) {
    const message = `Node pool version ${after} and control plane version ${above} are incompatible. Node pools cannot be newer than the control plane.`;
    return [{ code: "NodePoolMcVersionIncompatible", message, path: ["orchestrator_version"] }];
  }
  return before !== "" && minorOf(after) < minorOf(before)
    ? [badRequest(`Downgrading the node pool from ${before} to ${after} is not allowed.`, "orchestrator_version")]
    : [];
}

function checkNetwork(planned: ValueMap, own: ValueMap): readonly Refusal[] {
  const networkOf = (values: ValueMap): string => textOf(values["vnet_subnet_id"]).split("/subnets/")[0] ?? "";
  const [here, there] = [networkOf(planned), networkOf(own)];
  if (here === there) return [];
  const message = "All node pools of a cluster must be in the same virtual network.";
  return [{ code: "InvalidParameter", message, path: ["vnet_subnet_id"] }];
}

async function describeNodePool({ planned, prior }: AzureChange, context: HookContext): Promise<Record<string, Value>> {
  const cluster = await context.find({ type: "azurerm_kubernetes_cluster", id: textOf(planned["kubernetes_cluster_id"]) });
  const version = textOf(prior["orchestrator_version"]) || textOf(cluster?.attributes["current_kubernetes_version"]);
  const described = describePool(planned, version);
  const sku = textOf(planned["os_sku"]) || "Ubuntu";
  return {
    ...described,
    node_image_version: `AKS${sku}-${sku === "Ubuntu" ? "2404gen2containerd" : "V3gen2"}-202611.01.0`,
  };
}

/** The AKS node pool resource type. */
export const nodePools = { azurerm_kubernetes_cluster_node_pool: pool } as const;
