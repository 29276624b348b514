import type { Nodegroup, Taint, TaintEffect } from "@aws-sdk/client-eks";
import { listOf, objectOf, textOf, textsOf, type Json, type JsonObject } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import { ownerTag } from "../../account-view.ts";
import { deriveToken } from "../../library/check-request.ts";
import { isCloudFault, orUndefined, refuseRequest } from "../../library/errors.ts";
import { inParallel } from "../../library/in-parallel.ts";
import type { CloudPart, PartAttributes, PartOwner } from "../../library/parts.ts";
import { toStatus } from "../../library/statuses.ts";
import type { AwsContext } from "../library/context.ts";
import { deleteNodegroup } from "../library/delete-cluster.ts";
import { changeNodegroup, waitPoolReady } from "../library/node-pools.ts";
import { describeNodegroup, listClusters, listNodePools } from "../library/read-eks.ts";
import { upgradeNodegroup } from "../library/upgrade.ts";
import { nodePoolStatuses } from "../statuses.ts";
import { readCount, sendTags } from "./eks-cluster.ts";
import {
  checkOwner,
  checkTaken,
  findOwned,
  listOwnTags,
  readBlock,
  readTagMap,
  renderOwnerTags,
  sortTexts,
  type PartScope,
} from "./part-support.ts";

const readyMs = 60 * 60_000;
const appearMs = 2 * 60_000;

/**
 * EKS node groups. The ID is `<cluster>:<name>`, as in Terraform. Attributes: `cluster_name`, `node_group_name`, `node_role_arn`,
 * `subnet_ids`, `instance_types`, `capacity_type`, `disk_size`, `scaling_config` (one block with `desired_size`, `min_size`, `max_size`),
 * `labels`, `taint` (blocks with `key`, `value`, `effect`), `version`, `tags`.
 */
export function createNodeGroupPart(context: AwsContext, { entityUid, region }: PartScope): CloudPart {
  const read = async (id: string, signal: AbortSignal): Promise<Nodegroup> => {
    const { place, name } = readId(id, region);
    return describeNodegroup(context, place, name, signal);
  };
  const waitActive = async (id: string, signal: AbortSignal): Promise<Nodegroup> => {
    const { place, name } = readId(id, region);
    await waitPoolReady(context, place, name, { signal, timeoutMs: readyMs }, appearMs);
    return read(id, signal);
  };
  return {
    name: "aws_eks_node_group",
    immutable: [
      "cluster_name",
      "node_group_name",
      "node_role_arn",
      "subnet_ids",
      "instance_types",
      "capacity_type",
      "disk_size",
      "failed",
    ],
    async create(attributes, owner, signal) {
      const id = `${textOf(attributes["cluster_name"])}:${textOf(attributes["node_group_name"])}`;
      const existing = await orUndefined(read(id, signal));
      if (existing === undefined) await sendCreate(context, region, attributes, owner, signal);
      else checkTaken(`the node group ${id}`, existing.tags, owner);
      return { id, attributes: toAttributes(await waitActive(id, signal)) };
    },
    async read(id, signal) {
      const found = await orUndefined(read(id, signal));
      return found === undefined || found.status === "DELETING" ? undefined : toAttributes(found);
    },
    async update(id, attributes, signal) {
      const { place, name } = readId(id, region);
      const now = await waitActive(id, signal);
      const config = listConfigChanges(attributes, toAttributes(now));
      if (Object.keys(config).length > 0) {
        await changeNodegroup(context, place, name, config, { signal, timeoutMs: readyMs });
        await waitActive(id, signal);
      }
      const version = textOf(attributes["version"]);
      if (version !== "" && version !== now.version)
        await upgradeNodegroup(context, place, { name, version }, { signal, timeoutMs: readyMs });
      await sendTags(context, region, { arn: now.nodegroupArn, tags: now.tags }, attributes["tags"], signal);
      return toAttributes(await waitActive(id, signal));
    },
    async delete(id, signal) {
      const { place, name } = readId(id, region);
      checkOwner(`the node group ${id}`, (await orUndefined(read(id, signal)))?.tags, entityUid);
      await deleteNodegroup(context, place, name, { signal, timeoutMs: readyMs });
    },
    async listOwned(uid, signal) {
      const clusters = await listClusters(context, region, signal);
      const pools = await inParallel(clusters, 4, ({ name }) => orUndefined(listNodePools(context, { name, region }, signal)));
      return pools.flat().flatMap((pool) => {
        return pool === undefined ? [] : (findOwned(`${pool.cluster}:${pool.name}`, pool.tags, uid) ?? []);
      });
    },
    async findOwner(id, signal) {
      return (await orUndefined(read(id, signal)))?.tags?.[ownerTag];
    },
  };
}

function readId(
  id: string,
  region: string,
): { readonly place: { readonly name: string; readonly region: string }; readonly name: string } {
  const [cluster = "", name = "", ...rest] = id.split(":");
  if (cluster === "" || name === "" || rest.length > 0)
    throw refuseRequest("aws", `"${id}" is not a node group's ID; use <cluster>:<node group>`);
  return { place: { name: cluster, region }, name };
}

async function sendCreate(
  context: AwsContext,
  region: string,
  attributes: PartAttributes,
  owner: PartOwner,
  signal: AbortSignal,
): Promise<void> {
  const [clusterName = "", nodegroupName = "", nodeRole = "", capacityType = "", version = ""] = [
    "cluster_name",
    "node_group_name",
    "node_role_arn",
    "capacity_type",
    "version",
  ].map((field) => textOf(attributes[field]));
  const types = textsOf(attributes["instance_types"]);
  const diskSize = readCount(attributes["disk_size"], 0);
  try {
    const doing = `create the node group ${nodegroupName} of the EKS cluster ${clusterName}`;
    await context.call({ doing, region, signal }, async (clients) => {
      const { CreateNodegroupCommand } = await import("@aws-sdk/client-eks");
      const command = new CreateNodegroupCommand({
        clusterName,
        nodegroupName,
        nodeRole,
        subnets: textsOf(attributes["subnet_ids"]),
        scalingConfig: renderScaling(attributes["scaling_config"]),
        labels: readTagMap(attributes["labels"]),
        taints: renderTaints(attributes["taint"]),
        clientRequestToken: deriveToken(owner.token, "node-group"),
        tags: renderOwnerTags(attributes, owner, "pool"),
        ...(types.length === 0 ? {} : { instanceTypes: types }),
        ...(capacityType === "" ? {} : { capacityType: capacityType as "SPOT" }),
        ...(diskSize === 0 ? {} : { diskSize }),
        ...(version === "" ? {} : { version }),
      });
      await (await clients.eks()).send(command);
    });
  } catch (error) {
    const place = { name: clusterName, region };
    const taken = isCloudFault(error, "conflict")
      ? await orUndefined(describeNodegroup(context, place, nodegroupName, signal))
      : undefined;
    if (taken === undefined) throw error;
    checkTaken(`the node group ${clusterName}:${nodegroupName}`, taken.tags, owner);
  }
}

function renderScaling(block: Json | undefined) {
  const { desired_size: desired, min_size: min, max_size: max } = readBlock(block);
  const desiredSize = readCount(desired, 1);
  return { desiredSize, minSize: readCount(min, desiredSize), maxSize: readCount(max, Math.max(1, desiredSize)) };
}

function renderTaints(blocks: Json | undefined): Taint[] {
  return listOf(blocks).map((block) => {
    const { key, value, effect } = objectOf(block);
    const text = textOf(value);
    return { key: textOf(key), effect: textOf(effect) as TaintEffect, ...(text === "" ? {} : { value: text }) };
  });
}

/** Returns the attributes that a plan compares, and the outputs that do not change without an update. */
function toAttributes(group: Nodegroup): PartAttributes {
  const { clusterName = "", nodegroupName = "", nodeRole = "", scalingConfig = {}, version = "" } = group;
  const status = toStatus(nodePoolStatuses, group.status);
  const { desiredSize = 0, minSize = 0, maxSize = 0 } = scalingConfig;
  return {
    cluster_name: clusterName,
    node_group_name: nodegroupName,
    node_role_arn: nodeRole,
    subnet_ids: sortTexts(group.subnets),
    instance_types: group.instanceTypes ?? [],
    capacity_type: group.capacityType ?? "ON_DEMAND",
    disk_size: group.diskSize ?? 0,
    scaling_config: [{ desired_size: desiredSize, min_size: minSize, max_size: maxSize }],
    labels: { ...group.labels },
    taint: (group.taints ?? []).map(describeTaint).toSorted((a, b) => textOf(a["key"]).localeCompare(textOf(b["key"]))),
    version,
    tags: listOwnTags(group.tags),
    ready: status === "running",
    failed: group.status === "CREATE_FAILED",
    arn: group.nodegroupArn ?? "",
  };
}

function describeTaint({ key = "", value = "", effect = "NO_SCHEDULE" }: Taint): JsonObject {
  return { key, value, effect };
}

function listConfigChanges(desired: PartAttributes, current: PartAttributes) {
  const isChanged = (name: string): boolean => desired[name] !== undefined && !isDeepStrictEqual(desired[name], current[name]);
  const labels = readTagMap(desired["labels"]);
  const taints = renderTaints(desired["taint"]);
  const kept = new Set(taints.map(({ key, effect }) => `${key} ${effect}`));
  return {
    ...(isChanged("scaling_config") ? { scalingConfig: renderScaling(desired["scaling_config"]) } : {}),
    ...(isChanged("labels")
      ? {
          labels: {
            addOrUpdateLabels: labels,
            removeLabels: Object.keys(objectOf(current["labels"])).filter((key) => !Object.hasOwn(labels, key)),
          },
        }
      : {}),
    ...(isChanged("taint")
      ? {
          taints: {
            addOrUpdateTaints: taints,
            removeTaints: renderTaints(current["taint"]).filter(({ key, effect }) => !kept.has(`${key} ${effect}`)),
          },
        }
      : {}),
  };
}
