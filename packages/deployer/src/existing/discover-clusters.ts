import type { CloudLibrary, ClusterInfo } from "@cloudwright/clouds";
import { createTaskSession } from "../executor/task-session.ts";
import type { OpenCloud } from "../cloud.ts";
import type { DeployedAccount, DeployerOutcome, DeployerTask, JsonObject } from "../task.ts";
import { findOwner, openLibrary } from "./read-cluster.ts";

/** Number of clusters whose pools are read concurrently. */
const atOnce = 4;

/** Lists all clusters in an account, including those that the platform did not create. Sends only read requests. */
export async function discoverClusters(
  deps: { readonly openCloud: OpenCloud },
  task: DeployerTask,
  account: DeployedAccount,
): Promise<DeployerOutcome> {
  const session = createTaskSession(deps, task, account);
  const { signal } = task;
  try {
    const library = await openLibrary({ task, account, session });
    const found = [...(await library.clusters.list({ region: task.payload.region || "all", signal }))];
    const clusters: JsonObject[] = [];
    while (found.length > 0) {
      task.progress(50, `reading ${found.length} clusters`);
      const batch = found.splice(0, atOnce);
      clusters.push(...(await Promise.all(batch.map(async (each) => describe(each, await countNodes(library, each, signal))))));
    }
    return { outcome: "done", outputs: { clusters } };
  } catch (error) {
    throw session.explain(error);
  } finally {
    await session.close();
  }
}

async function countNodes(library: CloudLibrary, { id, nodePools }: ClusterInfo, signal: AbortSignal): Promise<number> {
  const pools = nodePools.length > 0 ? nodePools : await library.nodePools.list(id, { signal }).catch(() => []);
  return pools.reduce((sum, { count }) => sum + count, 0);
}

function describe(cluster: ClusterInfo, nodes: number): JsonObject {
  const { id, name, region, version, status, endpoint = "", certificateAuthority = "" } = cluster;
  return {
    id,
    name,
    region,
    version,
    state: status,
    nodes,
    endpoint,
    certificateAuthority,
    ownerUid: findOwner(cluster) ?? "",
  };
}
