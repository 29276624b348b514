import type { ClusterInfo } from "@cloudwright/clouds";
import { isNodeReady, kubeFaults, type KubeClient } from "@cloudwright/kube";
import { describeError, Fault } from "@cloudwright/platform";
import { useCluster } from "../access/open-cluster.ts";
import type { Cloud, ClusterAddress } from "../cloud.ts";
import { renderResource, type ExistingCloud, type Grantee, type KubernetesRight } from "./existing-cloud.ts";

/** A permission that the platform lacks, and the commands that grant it. */
export interface MissingRight {
  readonly where: "cloud" | "kubernetes";
  readonly message: string;
  readonly help: string;
}

/** Facts read from the cluster's Kubernetes API. The node count and the version are absent if they cannot be read. */
export interface SeenInside {
  readonly readyNodes?: number;
  readonly serverVersion?: string;
  readonly missing: readonly MissingRight[];
}

/** The facts about a cluster that the commands for granting rights contain. */
type ExistingPlace = Pick<ClusterInfo, "id" | "name" | "region"> & { readonly authenticationMode?: string | undefined };

const listNodes: KubernetesRight = { verb: "list", resource: "nodes" };

/** Kubernetes rights that the platform needs to drain a pool before the pool is deleted. */
const drainRights: readonly KubernetesRight[] = [
  { verb: "patch", resource: "nodes" },
  { verb: "list", resource: "pods" },
  { verb: "create", resource: "pods", subresource: "eviction" },
];

/**
 * Reads the nodes and the version through the cluster's Kubernetes API, and finds out which rights the platform lacks. Changes nothing. If
 * `isManaged` is true, the rights to drain nodes are checked as well.
 */
export async function lookInside(
  facts: ExistingCloud,
  cloud: Cloud,
  address: ClusterAddress & ExistingPlace,
  { isManaged, signal }: { readonly isManaged: boolean; readonly signal: AbortSignal },
): Promise<SeenInside> {
  try {
    return await useCluster(cloud, address, async ({ client }) => {
      const serverVersion = await client.getVersion(signal);
      const denied = await listDenied(client, [listNodes, ...(isManaged ? drainRights : [])], signal);
      const grantee = denied.length === 0 ? undefined : await describeGrantee(cloud, address);
      const missing = denied.map((right) => ({
        where: "kubernetes" as const,
        message: `the platform may not ${right.verb} ${renderResource(right)} in the cluster`,
        help: grantee === undefined ? "" : renderHelp(facts.renderRightGrant(grantee, right)),
      }));
      if (denied.includes(listNodes)) return { serverVersion, missing };
      const { items } = await client.list({ apiVersion: "v1", kind: "Node" }, {}, signal);
      return { readyNodes: items.filter(isNodeReady).length, serverVersion, missing };
    });
  } catch (error) {
    signal.throwIfAborted();
    const isDenied = error instanceof Fault && error.code === kubeFaults.denied.code;
    const help = isDenied
      ? renderHelp(facts.renderAccessGrant(await describeGrantee(cloud, address)))
      : "Check that the agent can reach the cluster's API. A private API endpoint is reachable only from inside its network.";
    return { missing: [{ where: "kubernetes", message: `the Kubernetes API cannot be used: ${describeError(error)}`, help }] };
  }
}

async function listDenied(
  client: KubeClient,
  rights: readonly KubernetesRight[],
  signal: AbortSignal,
): Promise<readonly KubernetesRight[]> {
  const denied: KubernetesRight[] = [];
  for (const right of rights) if (!(await client.isAllowed(right, signal))) denied.push(right);
  return denied;
}

/** Placeholder for the account's identity in commands. Used if the cloud does not report the identity. */
const unknownPrincipal = "PRINCIPAL";

async function describeGrantee(
  { clusters }: Pick<Cloud, "clusters">,
  { id, name, region, authenticationMode }: ExistingPlace,
): Promise<Grantee> {
  const find = async (): Promise<string | undefined> =>
    (await clusters?.findPrincipal(name)) ?? (await clusters?.findBuiltInAccess?.(name));
  return { id, cluster: name, region, authenticationMode, principal: (await find().catch(() => undefined)) ?? unknownPrincipal };
}

function renderHelp(commands: readonly string[]): string {
  const text = commands.join(" && ");
  return text.includes(unknownPrincipal)
    ? `Run, with the account's identity instead of ${unknownPrincipal}: ${text}`
    : `Run: ${text}`;
}

/** Lists the actions that managing a cluster requires but the account is not allowed to perform. */
export async function findDeniedActions(
  facts: ExistingCloud,
  cloud: Pick<Cloud, "listDenied" | "clusters">,
  cluster: ExistingPlace,
): Promise<readonly MissingRight[]> {
  const denied = ((await cloud.listDenied?.("cluster")) ?? []).filter((action) => facts.actions.includes(action));
  if (denied.length === 0) return [];
  const help = renderHelp(facts.renderActionGrant(await describeGrantee(cloud, cluster), denied));
  return [{ where: "cloud", message: `the account's credentials do not allow ${denied.join(", ")}`, help }];
}
