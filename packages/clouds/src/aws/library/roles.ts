import { createHash } from "node:crypto";
import { createCloudFault, isCloudFault } from "../../library/errors.ts";
import { waitFor } from "../../library/wait-for.ts";
import { suffixOf } from "../endpoints.ts";
import type { AwsContext } from "./context.ts";

/** The purpose of a role. */
export type RoleKind = "cluster" | "node";

interface RolePlan {
  readonly service: (region: string) => string;
  readonly policies: readonly string[];
}

const plans: Readonly<Record<RoleKind, RolePlan>> = {
  cluster: { service: () => "eks.amazonaws.com", policies: ["AmazonEKSClusterPolicy"] },
  node: {
    service: (region) => `ec2.${suffixOf(region)}`,
    policies: ["AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryReadOnly"],
  },
};

/** Tag on a role that the library created. Its value names the cluster and its region. */
const clusterTag = "cloudwright:cluster";

/** How long a new role may take to propagate to other AWS services. */
const roleMs = 2 * 60_000;

/** The cluster that a role belongs to. */
export interface RoleOwner {
  readonly cluster: string;
  readonly region: string;
}

/** A role, and whether this call created it or found an existing one. */
export interface ClusterRole {
  readonly arn: string;
  readonly isNew: boolean;
}

/** Returns the name of a cluster's role. IAM is global, so the name contains the region. IAM allows 64 characters. */
function roleNameOf({ cluster, region }: RoleOwner, kind: RoleKind): string {
  const name = `${cluster}-${region}-${kind}`;
  if (name.length <= 64) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${cluster.slice(0, 64 - 10 - region.length - kind.length - 1)}-${hash}-${region}-${kind}`;
}

/**
 * Creates a role with its policies, or completes one that an earlier call created. A role of the same name without the library's tag is a
 * conflict.
 */
export async function ensureRole(
  context: AwsContext,
  owner: RoleOwner,
  kind: RoleKind,
  signal: AbortSignal | undefined,
): Promise<ClusterRole> {
  const { region } = owner;
  const { service, policies } = plans[kind];
  const RoleName = roleNameOf(owner, kind);
  const found = await findOwnRole(context, owner, kind, signal);
  const arn = found ?? (await createRole(context, owner, kind, service(region), signal));
  const partition = arn.split(":")[1] ?? "aws";
  try {
    for (const policy of policies)
      await attachPolicy(context, owner, { RoleName, PolicyArn: `arn:${partition}:iam::aws:policy/${policy}` }, signal);
  } catch (error) {
    if (found === undefined && isCloudFault(error)) await cleanUpRole(context, owner, kind, signal);
    throw error;
  }
  return { arn, isNew: found === undefined };
}

async function attachPolicy(
  context: AwsContext,
  { region }: RoleOwner,
  { RoleName, PolicyArn }: { readonly RoleName: string; readonly PolicyArn: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  await context.call({ doing: `attach ${PolicyArn} to the role ${RoleName}`, region, signal }, async (clients) => {
    const { AttachRolePolicyCommand } = await import("@aws-sdk/client-iam");
    await (await clients.iam()).send(new AttachRolePolicyCommand({ RoleName, PolicyArn }));
  });
}

/**
 * Removes a new role after its cluster or node group could not be created. Ignores cloud faults, because the caller must see the original
 * failure. A role that cannot be removed now is found again by its tag.
 */
export async function cleanUpRole(
  context: AwsContext,
  owner: RoleOwner,
  kind: RoleKind,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await deleteRoles(context, owner, signal, [kind]);
  } catch (error) {
    if (!isCloudFault(error)) throw error;
  }
}

async function createRole(
  context: AwsContext,
  owner: RoleOwner,
  kind: RoleKind,
  service: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { cluster, region } = owner;
  const RoleName = roleNameOf(owner, kind);
  const trust = {
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Principal: { Service: service }, Action: "sts:AssumeRole" }],
  };
  const tags = { ...context.options.tags, [clusterTag]: `${region}/${cluster}` };
  try {
    return await context.call({ doing: `create the role ${RoleName}`, region, signal }, async (clients) => {
      const { CreateRoleCommand } = await import("@aws-sdk/client-iam");
      const command = new CreateRoleCommand({
        RoleName,
        AssumeRolePolicyDocument: JSON.stringify(trust),
        Description: `EKS cluster ${cluster} in ${region}`,
        Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
      });
      return (await (await clients.iam()).send(command)).Role?.Arn ?? "";
    });
  } catch (error) {
    // A retry after a lost response finds the role of the first attempt.
    const found = isCloudFault(error, "conflict") ? await findOwnRole(context, owner, kind, signal) : undefined;
    if (found === undefined) throw error;
    return found;
  }
}

/**
 * Returns the ARN of the role that the library created for a cluster, or undefined if there is none. Throws `clouds.conflict` if another
 * role has that name.
 */
async function findOwnRole(
  context: AwsContext,
  owner: RoleOwner,
  kind: RoleKind,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { cluster, region } = owner;
  const RoleName = roleNameOf(owner, kind);
  const role = await readRole(context, region, RoleName, signal);
  if (role === undefined) return undefined;
  if (role.owner === `${region}/${cluster}`) return role.arn;
  const option = kind === "cluster" ? "eksRoleArn" : "nodeRoleArn";
  throw createCloudFault(
    `the role ${RoleName} exists but was not created for this cluster; delete it, or pass ${option} to use it`,
    { cloud: "aws", category: "conflict" },
  );
}

async function readRole(
  context: AwsContext,
  region: string,
  RoleName: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly arn: string; readonly owner: string | undefined } | undefined> {
  try {
    return await context.call({ doing: `read the role ${RoleName}`, region, signal }, async (clients) => {
      const { GetRoleCommand } = await import("@aws-sdk/client-iam");
      const { Role } = await (await clients.iam()).send(new GetRoleCommand({ RoleName }));
      return { arn: Role?.Arn ?? "", owner: Role?.Tags?.find(({ Key }) => Key === clusterTag)?.Value };
    });
  } catch (error) {
    if (isCloudFault(error, "not_found")) return undefined;
    throw error;
  }
}

/** Like `readRole`, but returns undefined if the credentials have no access to IAM. Such credentials cannot have created a role either. */
async function findReadableRole(...args: Parameters<typeof readRole>): ReturnType<typeof readRole> {
  try {
    return await readRole(...args);
  } catch (error) {
    if (isCloudFault(error, "denied")) return undefined;
    throw error;
  }
}

/** Deletes the roles that the library created for a cluster. Keeps all other roles. Succeeds even if there are no roles to delete. */
export async function deleteRoles(
  context: AwsContext,
  owner: RoleOwner,
  signal: AbortSignal | undefined,
  kinds: readonly RoleKind[] = ["node", "cluster"],
): Promise<void> {
  for (const kind of kinds) await deleteRole(context, owner, kind, signal);
}

async function deleteRole(context: AwsContext, owner: RoleOwner, kind: RoleKind, signal: AbortSignal | undefined): Promise<void> {
  const { cluster, region } = owner;
  const RoleName = roleNameOf(owner, kind);
  const role = await findReadableRole(context, region, RoleName, signal);
  if (role?.owner !== `${region}/${cluster}`) return;
  try {
    await context.call({ doing: `delete the role ${RoleName}`, region, signal }, async (clients) => {
      const { DeleteRoleCommand, DetachRolePolicyCommand, paginateListAttachedRolePolicies } =
        await import("@aws-sdk/client-iam");
      const client = await clients.iam();
      const attached: string[] = [];
      for await (const { AttachedPolicies = [] } of paginateListAttachedRolePolicies({ client }, { RoleName }))
        attached.push(...AttachedPolicies.map(({ PolicyArn = "" }) => PolicyArn));
      for (const PolicyArn of attached) await client.send(new DetachRolePolicyCommand({ RoleName, PolicyArn }));
      await client.send(new DeleteRoleCommand({ RoleName }));
    });
  } catch (error) {
    if (!isCloudFault(error, "not_found")) throw error;
  }
}

/** Returns whether the library created a role for this cluster. */
export async function hasOwnRoles(context: AwsContext, owner: RoleOwner, signal: AbortSignal | undefined): Promise<boolean> {
  for (const kind of ["cluster", "node"] as const) {
    const role = await findReadableRole(context, owner.region, roleNameOf(owner, kind), signal);
    if (role?.owner === `${owner.region}/${owner.cluster}`) return true;
  }
  return false;
}

/** Repeats a request while a newly created role has not propagated through AWS yet. */
export async function whileRoleIsNew(
  { clock }: AwsContext,
  isNew: boolean,
  send: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const isTooNew = (error: unknown): boolean =>
    isNew && isCloudFault(error, "invalid", "not_found") && /\brole\b/i.test(error.message);
  const startMs = clock.now();
  const refusal = await waitFor<unknown>(clock, {
    cloud: "aws",
    timeoutMs: 2 * roleMs,
    signal,
    describe: () => "AWS still cannot use the new role",
    read: () =>
      send().then(
        () => undefined,
        (error: unknown) => error,
      ),
    isDone: (error) => !isTooNew(error) || clock.now() - startMs >= roleMs,
  });
  signal?.throwIfAborted();
  if (refusal !== undefined) throw refusal as Error;
}
