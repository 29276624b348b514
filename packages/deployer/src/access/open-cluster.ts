import { createKubeClient, type KubeAccess, type KubeClient } from "@cloudwright/kube";
import { isEntityOf } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { describeRun } from "../credentials.ts";
import type { Cloud, ClusterAddress, OpenCloud } from "../cloud.ts";
import { deployerFaults } from "../faults.ts";
import { getNetwork } from "../find-network.ts";
import { textOf } from "../read-spec.ts";
import type { DeployedAccount, DeployerTask } from "../task.ts";

/** A connection to the Kubernetes API of a cluster. */
export interface OpenedCluster {
  readonly client: KubeClient;
  readonly access: KubeAccess;
  readonly address: ClusterAddress;
  readonly cloud: Cloud;
}

/** Connects to the cluster that the entity's last run built. The connection closes when `work` ends. */
export async function withCluster<Result>(
  { openCloud }: { readonly openCloud: OpenCloud },
  task: DeployerTask,
  account: DeployedAccount,
  work: (cluster: OpenedCluster) => Promise<Result>,
): Promise<Result> {
  const address = requireAddress(task);
  const cloud = await openCloud(account, await task.openState(), describeRun(task));
  try {
    return await useCluster(cloud, address, work);
  } finally {
    await cloud.close();
  }
}

/** Connects to a cluster through a cloud that is already open. The connection closes when `work` ends. */
export async function useCluster<Result>(
  cloud: Cloud,
  address: ClusterAddress,
  work: (cluster: OpenedCluster) => Promise<Result>,
): Promise<Result> {
  const access = await cloud.openCluster(address);
  const client = createKubeClient(access);
  try {
    return await work({ client, access, address, cloud });
  } finally {
    client.close();
  }
}

/** Returns the cluster's address from the outputs of the entity's last run. Throws if the outputs contain none. */
export function requireAddress(task: Pick<DeployerTask, "payload">): ClusterAddress {
  const address = findAddress(task);
  if (address !== undefined) return address;
  throw new Fault(deployerFaults.no_cluster, `the last run of ${task.payload.entity.name} did not produce a cluster address`);
}

/** Returns the cluster's address from the outputs of the entity's last run, or undefined if the outputs contain none. */
export function findAddress({ payload }: Pick<DeployerTask, "payload">): ClusterAddress | undefined {
  const { entity, outputs } = payload;
  const [name, endpoint] = [textOf(outputs["cluster_name"]), textOf(outputs["endpoint"])];
  if (name === "" || endpoint === "") return undefined;
  const caPem = Buffer.from(textOf(outputs["certificate_authority"]), "base64").toString();
  const region = isEntityOf(entity, "Cluster") ? entity.spec.existing?.region : undefined;
  return { name, endpoint, caPem, region: region ?? getNetwork(entity, payload).region };
}
