import type { ClusterInfo, NodePoolInfo } from "@cloudwright/clouds";
import type { JsonObject } from "../task.ts";
import type { ExistingCloud } from "./existing-cloud.ts";
import type { MissingRight, SeenInside } from "./find-missing-rights.ts";

/** Renders the known facts about a cluster, for the entity's status and for everything that connects to the cluster. */
export function renderOutputs(
  facts: ExistingCloud,
  cluster: ClusterInfo,
  inside: SeenInside,
  { missing, managed }: { readonly missing: readonly MissingRight[]; readonly managed: ReadonlySet<string> },
): JsonObject {
  const { id, name, region, version, endpoint = "", certificateAuthority = "", nodePools, status } = cluster;
  return {
    cluster_name: name,
    cluster_id: id,
    region,
    version,
    endpoint,
    certificate_authority: certificateAuthority,
    wantedNodes: nodePools.reduce((sum, { count }) => sum + count, 0),
    ...(inside.readyNodes === undefined ? {} : { readyNodes: inside.readyNodes }),
    ...(inside.serverVersion === undefined ? {} : { serverVersion: inside.serverVersion }),
    existing: {
      state: status,
      nodePools: nodePools.map((pool) => ({
        name: pool.name,
        state: pool.status,
        version: pool.version,
        nodes: pool.count,
        min: pool.min ?? pool.count,
        max: pool.max ?? pool.count,
        instanceTypes: [...pool.types],
        nodeLabels: { ...pool.labels },
        autoscaling: isAutoscaled(facts, pool),
        managedBy: managed.has(pool.name) ? "platform" : "others",
      })),
      missingRights: [...missing, ...inside.missing].map((each) => ({ ...each })),
    },
  };
}

function isAutoscaled({ scalesWithinLimits = false }: ExistingCloud, { min, max }: NodePoolInfo): boolean {
  return scalesWithinLimits && (min !== undefined || max !== undefined);
}
