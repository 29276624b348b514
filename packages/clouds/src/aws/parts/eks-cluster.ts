import type { Cluster } from "@aws-sdk/client-eks";
import { findNumber, textOf, textsOf, type Json } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import { deriveToken } from "../../library/check-request.ts";
import { isCloudFault, orUndefined } from "../../library/errors.ts";
import type { CloudPart, PartAttributes, PartOwner } from "../../library/parts.ts";
import { toStatus } from "../../library/statuses.ts";
import { waitFor } from "../../library/wait-for.ts";
import { ownerTag } from "../../account-view.ts";
import type { AwsContext } from "../library/context.ts";
import { deleteControlPlane } from "../library/delete-cluster.ts";
import { describeCluster, listClusters, toClusterInfo } from "../library/read-eks.ts";
import { isReady } from "../library/readiness.ts";
import { upgradeCluster } from "../library/upgrade.ts";
import { clusterStatuses } from "../statuses.ts";
import {
  checkOwner,
  checkTaken,
  compareTags,
  findOwned,
  listOwnTags,
  readBlock,
  renderOwnerTags,
  sortTexts,
  type PartScope,
} from "./part-support.ts";

const readyMs = 60 * 60_000;
const appearMs = 2 * 60_000;

/**
 * EKS clusters. The ID is the name. Attributes: `name`, `role_arn`, `version`, `vpc_config` (one block with `subnet_ids`,
 * `security_group_ids`, `endpoint_public_access`, `endpoint_private_access`, `public_access_cidrs`), `access_config` (one block with
 * `authentication_mode`), `enabled_cluster_log_types`, `deletion_protection`, `tags`. A blueprint sets every field of a block that it uses.
 */
export function createClusterPart(context: AwsContext, { entityUid, region }: PartScope): CloudPart {
  const placeOf = (name: string) => ({ name, region });
  const waitActive = async (name: string, signal: AbortSignal): Promise<Cluster> =>
    waitFor(context.clock, {
      cloud: "aws",
      timeoutMs: readyMs,
      signal,
      notFoundMs: appearMs,
      describe: (last) => `the EKS cluster ${name} is still ${last?.status ?? "unknown"}`,
      read: () => describeCluster(context, placeOf(name), signal),
      isDone: (cluster) => isReady(toClusterInfo(cluster, region, []), {}),
    });
  return {
    name: "aws_eks_cluster",
    immutable: ["name", "role_arn", "failed"],
    async create(attributes, owner, signal) {
      const name = textOf(attributes["name"]);
      const existing = await orUndefined(describeCluster(context, placeOf(name), signal));
      if (existing === undefined) await sendCreate(context, region, attributes, owner, signal);
      else checkTaken(`the EKS cluster ${name}`, existing.tags, owner);
      return { id: name, attributes: toAttributes(await waitActive(name, signal)) };
    },
    async read(id, signal) {
      const found = await orUndefined(describeCluster(context, placeOf(id), signal));
      return found === undefined || found.status === "DELETING" ? undefined : toAttributes(found);
    },
    async update(id, attributes, signal) {
      const now = await waitActive(id, signal);
      const current = toAttributes(now);
      for (const change of listConfigChanges(attributes, current)) {
        await sendConfig(context, { name: id, region }, change, signal);
        await waitActive(id, signal);
      }
      const version = textOf(attributes["version"]);
      if (version !== "" && version !== current["version"])
        await upgradeCluster(context, placeOf(id), { version, pools: "control-plane" }, { signal });
      await sendTags(context, region, { arn: now.arn, tags: now.tags }, attributes["tags"], signal);
      return toAttributes(await waitActive(id, signal));
    },
    async delete(id, signal) {
      const found = await orUndefined(describeCluster(context, placeOf(id), signal));
      checkOwner(`the EKS cluster ${id}`, found?.tags, entityUid);
      await deleteControlPlane(context, placeOf(id), { signal, timeoutMs: readyMs });
    },
    async listOwned(uid, signal) {
      const clusters = await listClusters(context, region, signal);
      return clusters.flatMap(({ name, tags }) => findOwned(name, tags, uid) ?? []);
    },
    async findOwner(id, signal) {
      return (await orUndefined(describeCluster(context, placeOf(id), signal)))?.tags?.[ownerTag];
    },
  };
}

async function sendCreate(
  context: AwsContext,
  region: string,
  attributes: PartAttributes,
  owner: PartOwner,
  signal: AbortSignal,
): Promise<void> {
  const [name, roleArn, version] = ["name", "role_arn", "version"].map((field) => textOf(attributes[field]));
  const logs = textsOf(attributes["enabled_cluster_log_types"]);
  const { authentication_mode: mode } = readBlock(attributes["access_config"]);
  try {
    await context.call({ doing: `create the EKS cluster ${name} in ${region}`, region, signal }, async (clients) => {
      const { CreateClusterCommand } = await import("@aws-sdk/client-eks");
      const command = new CreateClusterCommand({
        name,
        roleArn,
        resourcesVpcConfig: renderVpc(attributes["vpc_config"]),
        clientRequestToken: deriveToken(owner.token, "cluster"),
        tags: renderOwnerTags(attributes, owner),
        ...(version ? { version } : {}),
        ...(mode === undefined ? {} : { accessConfig: { authenticationMode: textOf(mode) as "API" } }),
        ...(logs.length === 0 ? {} : { logging: renderLogging(logs) }),
        ...(attributes["deletion_protection"] === true ? { deletionProtection: true } : {}),
      });
      await (await clients.eks()).send(command);
    });
  } catch (error) {
    const taken = isCloudFault(error, "conflict")
      ? await orUndefined(describeCluster(context, { name: name ?? "", region }, signal))
      : undefined;
    if (taken === undefined) throw error;
    checkTaken(`the EKS cluster ${name}`, taken.tags, owner);
  }
}

function renderVpc(block: Json | undefined) {
  const { endpoint_public_access: isPublic, endpoint_private_access: isPrivate, ...lists } = readBlock(block);
  return {
    subnetIds: textsOf(lists["subnet_ids"]),
    securityGroupIds: textsOf(lists["security_group_ids"]),
    ...(typeof isPublic === "boolean" ? { endpointPublicAccess: isPublic } : {}),
    ...(typeof isPrivate === "boolean" ? { endpointPrivateAccess: isPrivate } : {}),
    ...(isPublic === true && lists["public_access_cidrs"] !== undefined
      ? { publicAccessCidrs: textsOf(lists["public_access_cidrs"]) }
      : {}),
  };
}

const logTypes = ["api", "audit", "authenticator", "controllerManager", "scheduler"] as const;

function renderLogging(enabled: readonly string[]) {
  const [on, off] = [true, false].map((isOn) => logTypes.filter((type) => enabled.includes(type) === isOn));
  return {
    clusterLogging: [
      { types: [...(on ?? [])], enabled: true },
      { types: [...(off ?? [])], enabled: false },
    ].filter(({ types }) => types.length > 0),
  };
}

/** Returns the attributes that a plan compares, and the outputs that do not change without an update. */
function toAttributes(cluster: Cluster): PartAttributes {
  const { name = "", roleArn = "", version = "", resourcesVpcConfig: vpc = {}, arn = "", endpoint = "" } = cluster;
  const status = toStatus(clusterStatuses, cluster.status);
  const logs = (cluster.logging?.clusterLogging ?? []).filter(({ enabled }) => enabled === true);
  const isPublic = vpc.endpointPublicAccess ?? true;
  return {
    name,
    role_arn: roleArn,
    version,
    vpc_config: [
      {
        subnet_ids: sortTexts(vpc.subnetIds),
        security_group_ids: sortTexts(vpc.securityGroupIds),
        endpoint_public_access: isPublic,
        endpoint_private_access: vpc.endpointPrivateAccess ?? false,
        public_access_cidrs: isPublic ? sortTexts(vpc.publicAccessCidrs) : [],
      },
    ],
    access_config: [{ authentication_mode: cluster.accessConfig?.authenticationMode ?? "CONFIG_MAP" }],
    enabled_cluster_log_types: logs.flatMap(({ types = [] }) => types).toSorted(),
    deletion_protection: cluster.deletionProtection ?? false,
    tags: listOwnTags(cluster.tags),
    ready: status === "running",
    failed: status === "failed",
    arn,
    endpoint,
    certificate_authority: cluster.certificateAuthority?.data ?? "",
    vpc_id: vpc.vpcId ?? "",
    cluster_security_group_id: vpc.clusterSecurityGroupId ?? "",
    issuer: cluster.identity?.oidc?.issuer ?? "",
  };
}

/** Lists the configuration changes to send. EKS accepts one kind of change per request. */
function listConfigChanges(desired: PartAttributes, current: PartAttributes): object[] {
  const isChanged = (name: string): boolean =>
    desired[name] !== undefined && !isDeepStrictEqual(sorted(desired[name]), current[name]);
  const { subnetIds, securityGroupIds, ...access } = renderVpc(desired["vpc_config"]);
  const [wanted, now] = [readBlock(desired["vpc_config"]), readBlock(current["vpc_config"])];
  const isMoved = ["subnet_ids", "security_group_ids"].some(
    (field) => wanted[field] !== undefined && !isDeepStrictEqual(sortTexts(wanted[field]), now[field]),
  );
  const hasAccess = ["endpoint_public_access", "endpoint_private_access", "public_access_cidrs"].some(
    (field) => wanted[field] !== undefined && !isDeepStrictEqual(sorted(wanted[field]), now[field]),
  );
  return [
    ...(isMoved ? [{ resourcesVpcConfig: { subnetIds, securityGroupIds } }] : []),
    ...(hasAccess ? [{ resourcesVpcConfig: access }] : []),
    ...(isChanged("access_config")
      ? [{ accessConfig: { authenticationMode: textOf(readBlock(desired["access_config"])["authentication_mode"]) } }]
      : []),
    ...(isChanged("enabled_cluster_log_types")
      ? [{ logging: renderLogging(textsOf(desired["enabled_cluster_log_types"])) }]
      : []),
    ...(isChanged("deletion_protection") ? [{ deletionProtection: desired["deletion_protection"] }] : []),
  ];
}

function sorted(value: Json | undefined): Json | undefined {
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? value.toSorted() : value;
}

async function sendConfig(
  context: AwsContext,
  { name, region }: { readonly name: string; readonly region: string },
  change: object,
  signal: AbortSignal,
): Promise<void> {
  await context.call({ doing: `change the EKS cluster ${name}`, region, signal }, async (clients) => {
    const { UpdateClusterConfigCommand } = await import("@aws-sdk/client-eks");
    await (await clients.eks()).send(new UpdateClusterConfigCommand({ name, ...change }));
  });
}

/** Sets and removes tags on an EKS resource, except the platform's own tags. Does nothing if the desired tags are undefined. */
export async function sendTags(
  context: AwsContext,
  region: string,
  { arn = "", tags }: { readonly arn?: string | undefined; readonly tags?: Record<string, string> | undefined },
  desired: Json | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (desired === undefined) return;
  const { set, remove } = compareTags(tags, desired);
  await context.call({ doing: `tag ${arn}`, region, signal }, async (clients) => {
    const { TagResourceCommand, UntagResourceCommand } = await import("@aws-sdk/client-eks");
    const client = await clients.eks();
    if (Object.keys(set).length > 0) await client.send(new TagResourceCommand({ resourceArn: arn, tags: set }));
    if (remove.length > 0) await client.send(new UntagResourceCommand({ resourceArn: arn, tagKeys: remove }));
  });
}

/** Returns a whole number in an attribute, or the default. */
export function readCount(value: Json | undefined, otherwise: number): number {
  return findNumber(value) ?? otherwise;
}
