import type { CreateNodegroupCommandInput } from "@aws-sdk/client-eks";
import { checkCount, checkScale } from "../../library/check-request.ts";
import { createCloudFault, isCloudFault, orUndefined, refuseRequest } from "../../library/errors.ts";
import type { NodePoolRequest, NodeTaint } from "../../library/node-pools.ts";
import { addLeft } from "../../library/tell-left.ts";
import { minorOf } from "../../library/versions.ts";
import { checkMachineType } from "./check-machine-type.ts";
import { tokenTag, type AwsContext } from "./context.ts";
import { describeNodegroup, type EksPlace } from "./read-eks.ts";
import { readPoolRef } from "./references.ts";
import { ensureRole, whileRoleIsNew } from "./roles.ts";

const defaultName = "default";

/** The region and name of a cluster, and the subnets that its nodes use by default. */
export interface PoolPlace extends EksPlace {
  readonly subnets: readonly string[];
}

/** Checks a request before anything is sent. */
export function checkPool(cluster: string, pool: NodePoolRequest): void {
  readPoolRef(cluster, pool.name ?? defaultName);
  checkScale("aws", pool);
  if (pool.version !== undefined) minorOf("aws", pool.version);
  if (pool.diskGiB !== undefined) checkCount("aws", "diskGiB", pool.diskGiB, { least: 1, most: 16_384 });
}

/** Checks what only EC2 knows about a request: the machine type and the zones. Creates nothing. */
export async function checkOffer(
  context: AwsContext,
  place: PoolPlace,
  pool: NodePoolRequest,
  signal: AbortSignal | undefined,
): Promise<void> {
  await checkMachineType(context, { type: pool.type, region: place.region }, signal);
  await chooseSubnets(context, place, pool, signal);
}

/**
 * Sends the request to create a node group, with a new role if none is given. If an earlier call with the same token created the node group,
 * nothing is sent. Returns the node group's name.
 */
export async function createNodegroup(
  context: AwsContext,
  place: PoolPlace,
  pool: NodePoolRequest,
  { token, signal }: { readonly token: string; readonly signal: AbortSignal | undefined },
): Promise<string> {
  const { name: cluster, region } = place;
  const name = pool.name ?? defaultName;
  const existing = await orUndefined(describeNodegroup(context, place, name, signal));
  if (existing !== undefined) return checkOwnGroup(place, name, existing.tags, token);
  const subnets = await chooseSubnets(context, place, pool, signal);
  const nodeRoleArn = pool.role ?? context.options.nodeRoleArn;
  const role = nodeRoleArn === undefined ? await ensureRole(context, { cluster, region }, "node", signal) : undefined;
  const input = {
    ...pool.native,
    clusterName: cluster,
    nodegroupName: name,
    nodeRole: nodeRoleArn ?? role?.arn,
    ...renderPool(pool),
    subnets,
    clientRequestToken: token,
    tags: { ...context.options.tags, ...pool.tags, [tokenTag]: token },
  };
  const doing = `create the node group ${name} of the EKS cluster ${cluster}`;
  const send = async (): Promise<void> =>
    context.call({ doing, region, signal }, async (clients) => {
      const { CreateNodegroupCommand } = await import("@aws-sdk/client-eks");
      await (await clients.eks()).send(new CreateNodegroupCommand(input));
    });
  try {
    await whileRoleIsNew(context, role !== undefined, send, signal);
  } catch (error) {
    const taken = isCloudFault(error, "conflict")
      ? await orUndefined(describeNodegroup(context, place, name, signal))
      : undefined;
    if (taken === undefined) {
      if (role?.isNew !== true || !isCloudFault(error)) throw error;
      // Other pools that are being created may already use the role.
      throw addLeft(error, { what: `the role ${role.arn}`, call: `clusters.delete("${cluster}"), together with the cluster` });
    }
    checkOwnGroup(place, name, taken.tags, token);
  }
  return name;
}

function checkOwnGroup(
  { name: cluster }: EksPlace,
  name: string,
  tags: Readonly<Record<string, string>> | undefined,
  token: string,
): string {
  if (tags?.[tokenTag] === token) return name;
  throw createCloudFault(`the EKS cluster ${cluster} already has a node group ${name}, and this call did not create it`, {
    cloud: "aws",
    category: "conflict",
  });
}

type NodegroupFields = Partial<CreateNodegroupCommandInput>;

function renderPool({ count, min, max, type, labels, taints, spot, diskGiB, version }: NodePoolRequest): NodegroupFields {
  return {
    scalingConfig: { desiredSize: count, minSize: min ?? (max === undefined ? count : 0), maxSize: max ?? Math.max(1, count) },
    ...(type === undefined ? {} : { instanceTypes: [type] }),
    ...(labels === undefined ? {} : { labels: { ...labels } }),
    ...(taints === undefined ? {} : { taints: taints.map(renderTaint) }),
    ...(spot === true ? { capacityType: "SPOT" } : {}),
    ...(diskGiB === undefined ? {} : { diskSize: diskGiB }),
    ...(version === undefined ? {} : { version: minorOf("aws", version) }),
  };
}

const effects = { NoSchedule: "NO_SCHEDULE", NoExecute: "NO_EXECUTE", PreferNoSchedule: "PREFER_NO_SCHEDULE" } as const;

/** Converts a taint to EKS's format. */
export function renderTaint({ key, value, effect }: NodeTaint) {
  return { key, effect: effects[effect], ...(value === undefined ? {} : { value }) };
}

/** Returns the subnets in the request or, by default, those of the cluster, limited to the request's zones. */
async function chooseSubnets(
  context: AwsContext,
  { name, region, subnets: ofCluster }: PoolPlace,
  { subnets = ofCluster, zones }: NodePoolRequest,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (zones === undefined) return [...subnets];
  const found = await context.call({ doing: `read the subnets of the EKS cluster ${name}`, region, signal }, async (clients) => {
    const { DescribeSubnetsCommand } = await import("@aws-sdk/client-ec2");
    return (await (await clients.ec2()).send(new DescribeSubnetsCommand({ SubnetIds: [...subnets] }))).Subnets ?? [];
  });
  const missing = zones.filter((zone) => !found.some(({ AvailabilityZone }) => AvailabilityZone === zone));
  if (missing.length > 0)
    throw refuseRequest("aws", `none of the subnets ${subnets.join(", ")} is in the zone ${missing.join(", ")}`);
  return found.filter(({ AvailabilityZone = "" }) => zones.includes(AvailabilityZone)).flatMap(({ SubnetId }) => SubnetId ?? []);
}
