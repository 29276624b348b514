import { findNumber, textOf } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import { refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes, PartOwner } from "../../library/parts.ts";
import { toPoolBody } from "../library/change-resource.ts";
import type { AzureContext } from "../library/context.ts";
import { libraryOperations } from "../library/operations.ts";
import { clusterPath, listClusters, placeOf, toPoolInfo } from "../library/read-aks.ts";
import { clusterKind, readReference, renderId } from "../library/references.ts";
import type { AgentPool, ManagedClusterAgentPoolProfileProperties } from "../models.ts";
import { clamp, defaultPoolTag, readPoolVersion, readProfile, renderProfile } from "./kubernetes-cluster.ts";
import { listOwnTags, renderOwnerTags, replaceTags, sortTexts, withoutEmpty } from "./part-support.ts";
import { createResourcePart } from "./resource-part.ts";

type PoolProperties = ManagedClusterAgentPoolProfileProperties & { readonly nodeTaints?: readonly string[] };

/**
 * AKS agent pools. The ID is the ARM ID. Attributes: `name`, `kubernetes_cluster_id`, `mode`, `vm_size`, `auto_scaling_enabled`, `min_count`
 * and `max_count` or `node_count`, `os_disk_size_gb`, `os_sku`, `max_pods`, `vnet_subnet_id`, `zones`, `node_labels`, `node_taints`,
 * `priority`, `orchestrator_version` (a patch version, or a minor version for which AKS chooses the patch), `tags`. The output
 * `current_node_count` is the number of nodes, which an autoscaler may have changed.
 */
export function createNodePoolPart(context: AzureContext, entityUid: string): CloudPart {
  return createResourcePart<AgentPool>(context, entityUid, {
    name: "azurerm_kubernetes_cluster_node_pool",
    title: "agent pool",
    immutable: [
      "name",
      "kubernetes_cluster_id",
      "vm_size",
      "os_disk_size_gb",
      "os_sku",
      "max_pods",
      "vnet_subnet_id",
      "zones",
      "priority",
      "failed",
    ],
    get: libraryOperations.getPool,
    put: libraryOperations.putPool,
    remove: libraryOperations.deletePool,
    isConditional: true,
    idOf: (attributes) => `${textOf(attributes["kubernetes_cluster_id"])}/agentPools/${textOf(attributes["name"])}`,
    pathOf(id) {
      const { clusterId, name } = readPoolId(id);
      return { ...clusterPath(readReference(context, clusterKind, clusterId)), agentPoolName: name };
    },
    tagsOf: ({ properties }) => properties?.tags,
    render,
    renderChange,
    toAttributes: (pool) => toAttributes(context, pool),
    readState({ name = "", properties = {} }) {
      const { status, nativeStatus, statusReason } = toPoolInfo({}, { ...properties, name });
      const reason = statusReason === undefined ? {} : { statusReason };
      return { isReady: status === "running", isFailed: status === "failed", nativeStatus, ...reason };
    },
    async list(signal) {
      const clusters = await listClusters(context, signal);
      return clusters.flatMap((cluster) =>
        (cluster.properties?.agentPoolProfiles ?? [])
          // The pool that was created with the cluster is managed together with the cluster.
          .filter(({ tags }) => tags?.[defaultPoolTag] !== "true")
          .map(({ name = "", tags }) => ({
            id: `${renderId(placeOf(context, cluster), clusterKind.type)}/agentPools/${name}`,
            tags,
          })),
      );
    },
  });
}

function readPoolId(id: string): { readonly clusterId: string; readonly name: string } {
  const { clusterId, name } = /^(?<clusterId>.+)\/agentPools\/(?<name>[a-z][a-z0-9]{0,11})$/i.exec(id)?.groups ?? {};
  if (clusterId === undefined || name === undefined)
    throw refuseRequest("azure", `"${id}" is not the ID of an AKS agent pool; use <cluster ID>/agentPools/<name>`);
  return { clusterId, name };
}

function render(attributes: PartAttributes, owner: PartOwner): object {
  const isSpot = attributes["priority"] === "Spot";
  return {
    properties: {
      ...renderProfile(attributes),
      ...withoutEmpty({ orchestratorVersion: textOf(attributes["orchestrator_version"]) }),
      mode: textOf(attributes["mode"]) || "User",
      type: "VirtualMachineScaleSets",
      osType: "Linux",
      nodeTaints: sortTexts(attributes["node_taints"]),
      ...(isSpot ? { scaleSetPriority: "Spot", scaleSetEvictionPolicy: "Delete", spotMaxPrice: -1 } : {}),
      tags: renderOwnerTags(attributes, owner, "pool"),
    },
  };
}

function toAttributes(context: AzureContext, pool: AgentPool): PartAttributes {
  const { clusterId, name } = readPoolId(pool.id ?? "");
  const properties: PoolProperties = pool.properties ?? {};
  return {
    ...readProfile({ ...properties, name: pool.name ?? name }),
    kubernetes_cluster_id: renderId(readReference(context, clusterKind, clusterId), clusterKind.type),
    mode: properties.mode ?? "User",
    orchestrator_version: readPoolVersion(properties),
    current_node_count: properties.count ?? 0,
    node_taints: sortTexts(properties.nodeTaints),
    priority: properties.scaleSetPriority ?? "Regular",
    tags: listOwnTags(properties.tags),
  };
}

function renderChange(pool: AgentPool, attributes: PartAttributes): object | undefined {
  const properties: PoolProperties = pool.properties ?? {};
  const now: PartAttributes = {
    ...readProfile({ ...properties, name: pool.name ?? "" }),
    node_taints: sortTexts(properties.nodeTaints),
  };
  const isChanged = (field: string): boolean =>
    attributes[field] !== undefined && !isDeepStrictEqual(attributes[field], now[field]);
  const scaling = ["auto_scaling_enabled", "min_count", "max_count", "node_count"];
  const rendered = renderProfile({ ...now, ...attributes });
  const version = textOf(attributes["orchestrator_version"]);
  const tags = attributes["tags"] === undefined ? { ...properties.tags } : replaceTags(properties.tags, attributes["tags"]);
  const mode = textOf(attributes["mode"]);
  const changed: Record<string, unknown> = {
    ...(scaling.some(isChanged) ? renderScaling(properties, rendered) : {}),
    ...(isChanged("node_labels") ? { nodeLabels: rendered["nodeLabels"] } : {}),
    ...(isChanged("node_taints") ? { nodeTaints: sortTexts(attributes["node_taints"]) } : {}),
    ...(version !== "" && version !== readPoolVersion(properties) ? { orchestratorVersion: version } : {}),
    ...(mode !== "" && mode !== (properties.mode ?? "User") ? { mode } : {}),
    ...(isDeepStrictEqual(tags, { ...properties.tags }) ? {} : { tags }),
  };
  return Object.keys(changed).length === 0 ? undefined : toPoolBody(pool, changed);
}

function renderScaling({ count = 1 }: PoolProperties, rendered: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { enableAutoScaling, minCount, maxCount } = rendered;
  if (enableAutoScaling !== true) return { enableAutoScaling: false, count: findNumber(rendered["count"]) ?? count };
  return { enableAutoScaling, minCount, maxCount, count: clamp(count, rendered) };
}
