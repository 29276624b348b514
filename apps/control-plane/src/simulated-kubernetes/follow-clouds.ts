import { listClusterTypes } from "@cloudwright/contract/clouds";
import type { Logger } from "@cloudwright/platform";
import { listClusters, type ClusterFacts, type Inventory, type KubernetesHost } from "@cloudwright/simulator";
import {
  deleteSimulatedCluster,
  fingerprintSimulatedClusters,
  listSimulatedClusters,
  renderSimulatedClusterId,
  updateSimulatedCluster,
  type Pool,
  type SimulatedClusterPlace,
  type SimulatedClusterRow,
} from "@cloudwright/store";

/** Keeps the served Kubernetes APIs in sync with the clusters in simulated clouds. */
export interface CloudFollower {
  /** Synchronises once. Accounts that fail are retried on the next call. */
  follow(host: Pick<KubernetesHost, "createCluster" | "reload" | "setNodes">): Promise<void>;
}

/** How long to keep a requested cluster that does not exist in its cloud yet. A slow cloud may still create it. */
const forgottenAfterMs = 3_600_000;

/** Creates the follower. It writes a new cluster's location to `places` before creating the cluster. */
export function createCloudFollower(deps: {
  readonly pool: Pool;
  readonly log: Logger;
  readonly inventory: Inventory;
  readonly places: Map<string, SimulatedClusterPlace>;
  readonly now: () => number;
}): CloudFollower {
  const { pool, log, inventory, places } = deps;
  const settled = new Map<string, string>();
  const nodes = new Map<string, string>();

  async function followAccount(accountUid: string, rows: readonly SimulatedClusterRow[], host: Host): Promise<void> {
    const facts = (await listClusters(inventory, accountUid)).map((fact) => {
      const place = { accountUid, region: fact.region, name: fact.name };
      return { ...fact, place, id: renderSimulatedClusterId(place) };
    });
    for (const row of rows) {
      const fact = facts.find(({ id }) => id === row.id);
      if (fact !== undefined) {
        if (!row.seen || row.version !== fact.version) await updateSimulatedCluster(pool, { ...row, version: fact.version });
      } else if (row.seen || deps.now() - row.askedAt.getTime() > forgottenAfterMs) {
        await deleteSimulatedCluster(pool, row.id, row.createdAtMs);
        nodes.delete(row.id);
      }
    }
    await host.reload();
    for (const fact of facts) {
      if (rows.every(({ id }) => id !== fact.id)) {
        places.set(fact.id, fact.place);
        await host.createCluster(fact.id, { version: fact.version });
      }
      await followNodes(fact, rows.find(({ id }) => id === fact.id)?.createdAtMs ?? 0, host);
    }
  }

  async function followNodes(fact: ClusterFacts & { readonly id: string }, createdAtMs: number, host: Host): Promise<void> {
    const wanted = JSON.stringify([createdAtMs, fact.nodes]);
    if (nodes.get(fact.id) === wanted) return;
    await host.setNodes(fact.id, fact.nodes);
    nodes.set(fact.id, wanted);
  }

  return {
    async follow(host) {
      const all = await listSimulatedClusters(pool);
      const fingerprints = await fingerprintSimulatedClusters(pool, listClusterTypes().all);
      await host.reload();
      const accounts = new Set([...all.map(({ accountUid }) => accountUid), ...fingerprints.keys()]);
      for (const known of settled.keys()) if (!accounts.has(known)) settled.delete(known);
      for (const accountUid of accounts) {
        const rows = all.filter((row) => row.accountUid === accountUid);
        const seen = JSON.stringify([fingerprints.get(accountUid), rows]);
        // Pending clusters are rechecked every time, because no event reports a cluster that is never created.
        if (settled.get(accountUid) === seen && rows.every((row) => row.seen)) continue;
        try {
          await followAccount(accountUid, rows, host);
          settled.set(accountUid, seen);
        } catch (error) {
          log.warn({ err: error, account: accountUid }, "could not follow the clusters of a simulated cloud; retrying");
        }
      }
    },
  };
}

type Host = Pick<KubernetesHost, "createCluster" | "reload" | "setNodes">;
