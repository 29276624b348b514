import { listClusterTypes } from "@cloudwright/contract/clouds";
import type { Logger } from "@cloudwright/platform";
import { listClusters, type ClusterFacts, type Inventory, type KubernetesHost } from "@cloudwright/simulator";
import {
  deleteSimulatedCluster,
  fingerprintSimulatedClusters,
  listPausedAccounts,
  listSimulatedClusters,
  renderSimulatedClusterId,
  updateSimulatedCluster,
  type Pool,
  type SimulatedClusterPlace,
  type SimulatedClusterRow,
} from "@cloudwright/store";
import { createHash } from "node:crypto";
import type { ProcessTrace } from "./work-trace.ts";

/** Keeps the served Kubernetes APIs in sync with the clusters in simulated clouds. */
export interface CloudFollower {
  /** Synchronises once. Accounts that fail are retried on the next call. Paused accounts are skipped. */
  follow(host: Host): Promise<void>;
}

/** How long to keep a requested cluster that does not exist in its cloud yet. A slow cloud may still create it. */
const forgottenAfterMs = 3_600_000;

/** Largest number of an account's clusters that are served. */
const mostClusters = 1000;

/**
 * Creates the follower. It writes a new cluster's location to `places` before creating the cluster, and an account to `trace` before
 * reading the account's resources.
 */
export function createCloudFollower(deps: {
  readonly pool: Pool;
  readonly log: Logger;
  readonly inventory: Inventory;
  readonly places: Map<string, SimulatedClusterPlace>;
  readonly trace?: Pick<ProcessTrace, "setReading">;
  readonly now: () => number;
}): CloudFollower {
  const { pool, log, inventory, places, trace } = deps;
  const settled = new Map<string, string>();
  const nodes = new Map<string, string>();

  async function readAccount(accountUid: string): Promise<readonly Facts[]> {
    trace?.setReading(accountUid);
    try {
      return (await listClusters(inventory, accountUid)).map((fact) => {
        const place = { accountUid, region: fact.region, name: fact.name };
        return { ...fact, place, id: renderSimulatedClusterId(place), digest: digestNodes(fact) };
      });
    } finally {
      trace?.setReading(undefined);
    }
  }

  async function followAccount(accountUid: string, rows: readonly SimulatedClusterRow[], host: Host): Promise<void> {
    const facts = new Map((await host.loadInTurn(() => readAccount(accountUid))).map((fact) => [fact.id, fact]));
    const known = new Map(rows.map((row) => [row.id, row]));
    for (const row of rows) {
      const fact = facts.get(row.id);
      if (fact !== undefined) {
        if (!row.seen || row.version !== fact.version) await updateSimulatedCluster(pool, { ...row, version: fact.version });
      } else if (row.seen || deps.now() - row.askedAt.getTime() > forgottenAfterMs) {
        await deleteSimulatedCluster(pool, row.id, row.createdAtMs);
        nodes.delete(row.id);
      }
    }
    await host.reload();
    let free = mostClusters - rows.length;
    for (const fact of facts.values()) {
      const row = known.get(fact.id);
      if (row === undefined && free-- <= 0) continue;
      if (row === undefined) {
        places.set(fact.id, fact.place);
        await host.createCluster(fact.id, { version: fact.version });
      }
      await followNodes(fact, row?.createdAtMs ?? 0, host);
    }
    if (free < 0)
      log.warn({ account: accountUid, clusters: facts.size, mostClusters }, "not all clusters of an account are served");
  }

  async function followNodes(fact: Facts, createdAtMs: number, host: Host): Promise<void> {
    const wanted = `${createdAtMs} ${fact.digest}`;
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
      const paused = await listPausedAccounts(pool);
      for (const accountUid of accounts) {
        if (paused.has(accountUid)) continue;
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

type Host = Pick<KubernetesHost, "createCluster" | "loadInTurn" | "reload" | "setNodes">;

/** A cluster in its cloud, with a digest of its nodes. */
interface Facts extends ClusterFacts {
  readonly id: string;
  readonly place: SimulatedClusterPlace;
  readonly digest: string;
}

function digestNodes({ nodes }: ClusterFacts): string {
  const hash = createHash("sha256");
  for (const node of nodes) hash.update(`${JSON.stringify(node)}\n`);
  return hash.digest("base64");
}
