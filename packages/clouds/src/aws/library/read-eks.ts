import type { Cluster, Nodegroup } from "@aws-sdk/client-eks";
import type { ClusterInfo } from "../../library/clusters.ts";
import { orUndefined } from "../../library/errors.ts";
import { inParallel } from "../../library/in-parallel.ts";
import type { NodePoolInfo } from "../../library/node-pools.ts";
import { toStatus } from "../../library/statuses.ts";
import { clusterStatuses, nodePoolStatuses } from "../statuses.ts";
import type { AwsContext } from "./context.ts";

/** The region and name of a cluster. */
export interface EksPlace {
  readonly name: string;
  readonly region: string;
}

/** Maximum number of concurrent describe calls. EKS allows bursts of about 50 per account. */
const most = 8;

/** Reads a cluster. Throws `clouds.not_found` if it does not exist. */
export async function describeCluster(context: AwsContext, { name, region }: EksPlace, signal?: AbortSignal): Promise<Cluster> {
  return context.call({ doing: `read the EKS cluster ${name} in ${region}`, region, signal }, async (clients) => {
    const { DescribeClusterCommand } = await import("@aws-sdk/client-eks");
    const { cluster = {} } = await (await clients.eks()).send(new DescribeClusterCommand({ name }));
    return cluster;
  });
}

/** Reads a node group. Throws `clouds.not_found` if it does not exist. */
export async function describeNodegroup(
  context: AwsContext,
  { name: clusterName, region }: EksPlace,
  nodegroupName: string,
  signal?: AbortSignal,
): Promise<Nodegroup> {
  const doing = `read the node group ${nodegroupName} of the EKS cluster ${clusterName}`;
  return context.call({ doing, region, signal }, async (clients) => {
    const { DescribeNodegroupCommand } = await import("@aws-sdk/client-eks");
    const { nodegroup = {} } = await (await clients.eks()).send(new DescribeNodegroupCommand({ clusterName, nodegroupName }));
    return nodegroup;
  });
}

/** Lists the names of a cluster's node groups. Throws `clouds.not_found` if the cluster does not exist. */
export async function listNodegroupNames(
  context: AwsContext,
  { name: clusterName, region }: EksPlace,
  signal?: AbortSignal,
): Promise<string[]> {
  const doing = `list the node groups of the EKS cluster ${clusterName}`;
  return context.call({ doing, region, signal }, async (clients) => {
    const { paginateListNodegroups } = await import("@aws-sdk/client-eks");
    const names: string[] = [];
    for await (const { nodegroups = [] } of paginateListNodegroups({ client: await clients.eks() }, { clusterName }))
      names.push(...nodegroups);
    return names;
  });
}

/** Reads all node groups of a cluster. Omits node groups that are deleted during the call. */
export async function listNodePools(context: AwsContext, place: EksPlace, signal?: AbortSignal): Promise<NodePoolInfo[]> {
  const names = await listNodegroupNames(context, place, signal);
  const found = await inParallel(names, most, (name) => orUndefined(describeNodegroup(context, place, name, signal)));
  return found.flatMap((group) => (group === undefined ? [] : [toNodePoolInfo(group)]));
}

/** Lists the clusters of a region. Omits clusters that are deleted during the call. */
export async function listClusters(context: AwsContext, region: string, signal?: AbortSignal): Promise<ClusterInfo[]> {
  const names = await context.call({ doing: `list the EKS clusters in ${region}`, region, signal }, async (clients) => {
    const { paginateListClusters } = await import("@aws-sdk/client-eks");
    const all: string[] = [];
    for await (const { clusters = [] } of paginateListClusters({ client: await clients.eks() }, {})) all.push(...clusters);
    return all;
  });
  const found = await inParallel(names, most, (name) => orUndefined(describeCluster(context, { name, region }, signal)));
  return found.flatMap((cluster) => (cluster === undefined ? [] : [toClusterInfo(cluster, region, [])]));
}

/** Lists the regions that are enabled in the account. */
export async function listEnabledRegions(context: AwsContext, signal?: AbortSignal): Promise<string[]> {
  const { region } = context.options;
  return context.call({ doing: "list the enabled regions", region, signal }, async (clients) => {
    const { DescribeRegionsCommand } = await import("@aws-sdk/client-ec2");
    const { Regions = [] } = await (await clients.ec2()).send(new DescribeRegionsCommand({}));
    return Regions.flatMap(({ RegionName }) => RegionName ?? []);
  });
}

export function toClusterInfo(cluster: Cluster, region: string, nodePools: readonly NodePoolInfo[]): ClusterInfo {
  const { arn = "", name = "", version = "", status = "", endpoint, certificateAuthority, tags = {}, createdAt } = cluster;
  const { vpcId, subnetIds = [] } = cluster.resourcesVpcConfig ?? {};
  const { authenticationMode } = cluster.accessConfig ?? {};
  const reason = describeIssues(cluster.health?.issues);
  return {
    id: arn,
    name,
    cloud: "aws",
    region,
    location: region,
    ...(authenticationMode === undefined ? {} : { authenticationMode }),
    version,
    status: toStatus(clusterStatuses, status),
    nativeStatus: status,
    ...(reason === undefined ? {} : { statusReason: reason }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(certificateAuthority?.data === undefined ? {} : { certificateAuthority: certificateAuthority.data }),
    nodePools,
    ...(vpcId === undefined ? {} : { network: vpcId }),
    subnets: subnetIds,
    tags,
    ...(createdAt === undefined ? {} : { createdAt }),
  };
}

export function toNodePoolInfo(group: Nodegroup): NodePoolInfo {
  const { nodegroupArn = "", nodegroupName = "", clusterName = "", status = "", version = "", tags = {}, labels = {} } = group;
  const { minSize, maxSize, desiredSize = 0 } = group.scalingConfig ?? {};
  const reason = describeIssues(group.health?.issues);
  return {
    id: nodegroupArn,
    name: nodegroupName,
    cluster: clusterName,
    status: toStatus(nodePoolStatuses, status),
    nativeStatus: status,
    ...(reason === undefined ? {} : { statusReason: reason }),
    version,
    count: desiredSize,
    ...(minSize === undefined ? {} : { min: minSize }),
    ...(maxSize === undefined ? {} : { max: maxSize }),
    types: group.instanceTypes ?? [],
    // EKS places nodes by subnet and does not report zones.
    zones: [],
    labels,
    tags,
    ...(group.nodeRole === undefined ? {} : { role: group.nodeRole }),
    nodeSelector: `eks.amazonaws.com/nodegroup=${nodegroupName}`,
  };
}

interface Issue {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

function describeIssues(issues: readonly Issue[] = []): string | undefined {
  const texts = issues.map(({ code = "", message = "" }) => [code, message].filter((part) => part !== "").join(": "));
  return texts.length === 0 ? undefined : texts.join("; ");
}
