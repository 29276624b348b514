import type { DeleteOptions } from "../../library/call-options.ts";
import { isCloudFault, orUndefined } from "../../library/errors.ts";
import { inParallel } from "../../library/in-parallel.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { AwsContext } from "./context.ts";
import { describeCluster, describeNodegroup, listNodegroupNames, type EksPlace } from "./read-eks.ts";
import { deleteRoles, hasOwnRoles } from "./roles.ts";

const deleteMs = 30 * 60_000;

/**
 * Deletes a cluster's node groups, then the cluster, then the roles that the library created. Succeeds even if nothing exists. Roles can
 * be deleted only after the cluster, so the function always waits for the deletion of a cluster that has such roles.
 */
export async function deleteCluster(context: AwsContext, place: EksPlace, options: DeleteOptions): Promise<void> {
  const { clock } = context;
  const { signal, timeoutMs = deleteMs, wait = "gone", onStatus } = options;
  const endMs = clock.now() + timeoutMs;
  const left = () => ({
    timeoutMs: Math.max(0, endMs - clock.now()),
    ...(signal === undefined ? {} : { signal }),
    ...(onStatus === undefined ? {} : { onStatus }),
  });
  const cluster = await orUndefined(describeCluster(context, place, signal));
  const groups = cluster === undefined ? [] : ((await orUndefined(listNodegroupNames(context, place, signal))) ?? []);
  await inParallel(groups, 4, (group) => deleteNodegroup(context, place, group, { ...left(), wait: "gone" }));
  await deleteControlPlane(context, place, { ...left(), wait: "accepted" });
  const owner = { cluster: place.name, region: place.region };
  const { eksRoleArn, nodeRoleArn } = context.options;
  const hasRoles = eksRoleArn !== undefined && nodeRoleArn !== undefined ? false : await hasOwnRoles(context, owner, signal);
  if (wait === "accepted" && !hasRoles) return;
  await deleteControlPlane(context, place, { ...left(), wait: "gone" });
  if (hasRoles) await deleteRoles(context, owner, signal);
}

/** Deletes a cluster without node groups. Succeeds even if it does not exist. */
export async function deleteControlPlane(context: AwsContext, place: EksPlace, options: DeleteOptions): Promise<void> {
  const { signal, timeoutMs = deleteMs, wait = "gone", onStatus } = options;
  const limits = {
    timeoutMs,
    ...(signal === undefined ? {} : { signal }),
    ...(onStatus === undefined ? {} : { onStatus }),
  };
  await deleteWhenFree(context, limits, {
    what: `the EKS cluster ${place.name}`,
    read: async () => (await describeCluster(context, place, signal)).status,
    send: () => sendDelete(context, place, signal),
    isAwaited: wait === "gone",
  });
}

/** Deletes a node group. Succeeds even if it does not exist. */
export async function deleteNodegroup(
  context: AwsContext,
  place: EksPlace,
  group: string,
  options: DeleteOptions,
): Promise<void> {
  const { signal, timeoutMs = deleteMs, wait = "gone", onStatus } = options;
  const { name: clusterName, region } = place;
  const limits = {
    timeoutMs,
    ...(signal === undefined ? {} : { signal }),
    ...(onStatus === undefined ? {} : { onStatus }),
  };
  await deleteWhenFree(context, limits, {
    what: `the node group ${group} of the EKS cluster ${clusterName}`,
    read: async () => (await describeNodegroup(context, place, group, signal)).status,
    send: async () => {
      const doing = `delete the node group ${group} of the EKS cluster ${clusterName}`;
      await context.call({ doing, region, signal }, async (clients) => {
        const { DeleteNodegroupCommand } = await import("@aws-sdk/client-eks");
        await (await clients.eks()).send(new DeleteNodegroupCommand({ clusterName, nodegroupName: group }));
      });
    },
    isAwaited: wait === "gone",
  });
}

async function sendDelete(context: AwsContext, { name, region }: EksPlace, signal: AbortSignal | undefined): Promise<void> {
  await context.call({ doing: `delete the EKS cluster ${name} in ${region}`, region, signal }, async (clients) => {
    const { DeleteClusterCommand } = await import("@aws-sdk/client-eks");
    await (await clients.eks()).send(new DeleteClusterCommand({ name }));
  });
}

interface Deletion {
  readonly what: string;
  readonly read: () => Promise<string | undefined>;
  readonly send: () => Promise<void>;
  /** Whether to wait until the resource no longer exists. */
  readonly isAwaited: boolean;
}

/**
 * Sends a deletion, and repeats it while EKS rejects it because of another change in progress. A deletion that failed in EKS is sent once
 * more.
 */
async function deleteWhenFree(
  { clock }: AwsContext,
  { timeoutMs, signal, onStatus }: Pick<DeleteOptions, "signal" | "onStatus"> & { readonly timeoutMs: number },
  { what, read, send, isAwaited }: Deletion,
): Promise<void> {
  let isAccepted = false;
  await waitFor<string | undefined>(clock, {
    cloud: "aws",
    timeoutMs,
    signal,
    describe: (last) => `${what} is still ${last ?? "there"}`,
    async read() {
      const status = await orUndefined(read());
      if (status === undefined) return undefined;
      onStatus?.("deleting", status);
      isAccepted = status === "DELETING";
      if (isAccepted) return status;
      try {
        await send();
        isAccepted = true;
      } catch (error) {
        if (isCloudFault(error, "not_found")) return undefined;
        if (!isCloudFault(error, "conflict")) throw error;
      }
      return status;
    },
    isDone: (status) => status === undefined || (isAccepted && !isAwaited),
  });
}
