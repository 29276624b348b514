import { Fault, systemClock } from "@cloudwright/platform";
import { ownerTag } from "../account-view.ts";
import type { ClusterControl } from "../cloud-provider.ts";
import { cloudsFaults } from "../faults.ts";
import type { AwsApi, AwsClients } from "./api.ts";
import { endpointFor, type AwsEndpoints } from "./endpoints.ts";
import { toPrincipal } from "./permissions/list-denied.ts";

const updateMs = 15 * 60_000;
const pauseMs = 5000;
const addressMs = 10_000;

/** Creates the client for EKS cluster operations that Terraform does not support. */
export function createAwsClusters(api: AwsApi, endpoints: AwsEndpoints): ClusterControl {
  return {
    findAddress: () => findAddress(endpoints),
    findPrincipal: (cluster) => findCreator(api, cluster),
    findBuiltInAccess: (cluster) => findBuiltInAccess(api, cluster),
    listRefusedSubnets: (subnetIds) => listRefusedSubnets(api, subnetIds),
    countNodes: (cluster) => countNodes(api, cluster),
    unprotect: (cluster) => unprotect(api, cluster),
  };
}

/**
 * Asks a public AWS service for this process's IP address. Returns undefined if the service cannot be reached, for example from a private
 * network.
 */
async function findAddress(endpoints: AwsEndpoints): Promise<string | undefined> {
  const url = endpointFor(endpoints, "checkip") ?? "https://checkip.amazonaws.com/";
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(addressMs) });
    const text = response.ok ? (await response.text()).trim() : "";
    return /^(\d{1,3}\.){3}\d{1,3}$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the principal that creates a cluster, or undefined if EKS itself created the principal's access entry, as it does for
 * configurations before v1.1.0. Such an entry has no ownership tag, and a second entry would be rejected.
 */
async function findCreator(api: AwsApi, cluster: string): Promise<string | undefined> {
  const principalArn = await findPrincipal(api);
  if (principalArn === undefined) return undefined;
  return (await findEntry(api, cluster, principalArn)) === "cloud" ? undefined : principalArn;
}

/**
 * Returns the principal whose access entry EKS creates together with a cluster. For an existing cluster, returns undefined unless EKS
 * created the entry. An entry with an ownership tag belongs to the configuration, and a missing entry means that someone deleted it.
 */
async function findBuiltInAccess(api: AwsApi, cluster: string): Promise<string | undefined> {
  const principalArn = await findPrincipal(api);
  if (principalArn === undefined) return undefined;
  const entry = await findEntry(api, cluster, principalArn);
  if (entry !== "none") return entry === "cloud" ? principalArn : undefined;
  const found = await api.call("read the cluster", (clients) => describe(clients, cluster));
  return found === undefined ? principalArn : undefined;
}

/** Zones in which EKS does not place network interfaces of control planes. */
const refusedZoneIds = ["use1-az3", "usw1-az2", "cac1-az3"];

async function listRefusedSubnets(api: AwsApi, subnetIds: readonly string[]): Promise<readonly string[]> {
  return api.call("read the zones of the subnets", async (clients) => {
    const { DescribeSubnetsCommand } = await import("@aws-sdk/client-ec2");
    // A request with the `SubnetIds` parameter would fail if one of the subnets does not exist.
    const filters = { "subnet-id": [...subnetIds], "availability-zone-id": refusedZoneIds };
    const Filters = Object.entries(filters).map(([Name, Values]) => ({ Name, Values }));
    const { Subnets = [] } = await (await clients.ec2()).send(new DescribeSubnetsCommand({ Filters }));
    return Subnets.flatMap(({ SubnetId }) => SubnetId ?? []);
  });
}

/** Returns who created the access entry of a principal: the configuration or the cloud. Returns `none` if there is no entry. */
async function findEntry(api: AwsApi, cluster: string, principalArn: string): Promise<"configuration" | "cloud" | "none"> {
  return api.call("read the access entry of the cluster's creator", async (clients) => {
    const { DescribeAccessEntryCommand } = await import("@aws-sdk/client-eks");
    try {
      const found = await (await clients.eks()).send(new DescribeAccessEntryCommand({ clusterName: cluster, principalArn }));
      return found.accessEntry?.tags?.[ownerTag] === undefined ? "cloud" : "configuration";
    } catch (error) {
      // EKS may reject the request while it creates or deletes the cluster.
      if (isMissing(error) || (error as Error).name === "InvalidRequestException") return "none";
      throw error;
    }
  });
}

/**
 * Returns the ARN of the current user or role in the form that access entries require. The ARN of a role session lacks the role's path, so
 * the role is looked up. Returns undefined if the role cannot be read.
 */
async function findPrincipal(api: AwsApi): Promise<string | undefined> {
  return api.call("identify the caller", async (clients) => {
    const { GetCallerIdentityCommand } = await import("@aws-sdk/client-sts");
    const { Arn = "" } = await (await clients.sts()).send(new GetCallerIdentityCommand({}));
    const principal = toPrincipal(Arn);
    if (principal === undefined || principal === Arn) return principal;
    const { GetRoleCommand } = await import("@aws-sdk/client-iam");
    const client = await clients.iam();
    try {
      return (await client.send(new GetRoleCommand({ RoleName: principal.split("/").at(-1) ?? "" }))).Role?.Arn;
    } catch (error) {
      // Any other error may be temporary and is rethrown, because without the principal the next plan would remove the creator's access.
      if (["AccessDenied", "NoSuchEntity", "NoSuchEntityException"].includes((error as Error).name)) return undefined;
      throw error;
    }
  });
}

/** Counts nodes by the `cloudwright:part` tag of their node group, because EKS does not know the pool names. */
async function countNodes(api: AwsApi, cluster: string): Promise<Readonly<Record<string, number>>> {
  return api.call("read the node groups", async (clients) => {
    const { DescribeNodegroupCommand, paginateListNodegroups } = await import("@aws-sdk/client-eks");
    const client = await clients.eks();
    const counts: Record<string, number> = {};
    try {
      for await (const { nodegroups = [] } of paginateListNodegroups({ client }, { clusterName: cluster })) {
        for (const nodegroupName of nodegroups) {
          const { nodegroup } = await client.send(new DescribeNodegroupCommand({ clusterName: cluster, nodegroupName }));
          const pool = /^pool\/(?<name>.+)$/.exec(nodegroup?.tags?.["cloudwright:part"] ?? "")?.groups?.["name"];
          const size = nodegroup?.scalingConfig?.desiredSize;
          if (pool !== undefined && size !== undefined) counts[pool] = Math.max(counts[pool] ?? 0, size);
        }
      }
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    return counts;
  });
}

async function unprotect(api: AwsApi, cluster: string): Promise<void> {
  await api.call("turn off the deletion protection", async (clients) => {
    const { UpdateClusterConfigCommand } = await import("@aws-sdk/client-eks");
    const found = await describe(clients, cluster);
    if (found?.deletionProtection !== true) return;
    // EKS deletes clusters in these states despite deletion protection, and rejects changes to them.
    if (found.status === "CREATING" || found.status === "FAILED" || found.status === "DELETING") return;
    await (await clients.eks()).send(new UpdateClusterConfigCommand({ name: cluster, deletionProtection: false }));
    const endMs = systemClock.now() + updateMs;
    for (;;) {
      const now = await describe(clients, cluster);
      if (now === undefined || (now.deletionProtection !== true && now.status !== "UPDATING")) return;
      if (systemClock.now() > endMs)
        throw new Fault(cloudsFaults.failed, `EKS still protects the cluster ${cluster} from deletion`);
      await systemClock.sleep(pauseMs);
    }
  });
}

async function describe(clients: AwsClients, name: string) {
  const { DescribeClusterCommand } = await import("@aws-sdk/client-eks");
  try {
    return (await (await clients.eks()).send(new DescribeClusterCommand({ name }))).cluster;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as { readonly name?: string }).name === "ResourceNotFoundException";
}
