import { createUid, Fault, Secret } from "@cloudwright/platform";
import {
  beginClusterToken,
  findClusterToken,
  lockClusterToken,
  unseal,
  waitForSignal,
  type ClusterTokenRow,
} from "@cloudwright/store";
import { enqueueTasks, findSmallestLack, listAgentPresence, readAbility, type TaskInsert } from "@cloudwright/tasks";
import { systemProject } from "@cloudwright/contract";
import { requireCaller, type Call } from "../calls/caller.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { textAt } from "../entities/json-tree.ts";
import { renderTokenTask, type BuiltCluster, type TokenAsked } from "./render-token-task.ts";

/** A token of a cluster, and until when it works. */
export interface ClusterToken {
  readonly token: Secret;
  readonly expiresAt: Date;
}

/** How long a caller is kept waiting; an agent that is there needs a second or two. */
const usualWaitMs = 20_000;
/** An agent asks for work again within this time. */
const placeableAfterMs = 3000;
const recheckMs = 1000;
/** Every end of a task wakes all who wait. */
const restMs = 100;
const open: ReadonlySet<string | null> = new Set(["waiting", "ready", "leased"]);

/**
 * The token that a real cluster has given for a role and a life: one that others have asked for, while more than half of its life is left, else
 * an agent is asked for a new one and waited for. However many ask at once, one task asks the cluster. Undefined when the cluster is going.
 */
export async function obtainClusterToken(
  deps: ApiDeps,
  call: Call,
  cluster: BuiltCluster,
  asked: TokenAsked,
): Promise<ClusterToken | undefined> {
  const server = textAt(cluster.outputs, "endpoint");
  const begun = await begin(deps, call, cluster, asked, server);
  if (begun === undefined) return undefined;
  const startMs = deps.clock.now();
  const waitMs = deps.accessWaitMs ?? usualWaitMs;
  const abort = call.signal ?? new AbortController().signal;
  for (;;) {
    const since = deps.taskSignal.version();
    const row = await findClusterToken(deps.pool, begun.uid, server);
    const token = row === undefined ? undefined : openToken(deps, row);
    if (row === undefined || token !== undefined) return token;
    if (!open.has(row.taskState)) throw failed(cluster, row);
    const waitedMs = deps.clock.now() - startMs;
    if (row.taskState === "ready" && waitedMs >= Math.min(placeableAfterMs, waitMs)) await requireAgentFor(deps, begun.task);
    if (waitedMs >= waitMs || abort.aborted) throw late(cluster, row);
    await waitForSignal(deps.taskSignal, since, Math.min(recheckMs, Math.max(1, waitMs - waitedMs)), abort);
    await deps.clock.sleep(Math.min(restMs, waitMs)).catch(() => undefined);
  }
}

/** Finds the token's record, and enqueues a task for it unless there is a token or one is being asked for. */
async function begin(
  deps: ApiDeps,
  call: Call,
  cluster: BuiltCluster,
  asked: TokenAsked,
  server: string,
): Promise<{ readonly uid: string; readonly task: TaskInsert } | undefined> {
  const [newUid, taskUid] = [createUid(deps.clock.now()), createUid(deps.clock.now())];
  const wish = { uid: newUid, clusterUid: cluster.row.uid, server, askedBy: requireCaller(call).user, ...asked };
  const begun = await deps.pool.transaction(async (database) => {
    const row = await lockClusterToken(database, wish);
    if (row === undefined) return undefined;
    const task = renderTokenTask(cluster, row.uid, taskUid, asked);
    const isNew = row.sealed === null && !open.has(row.taskState);
    if (isNew) {
      await enqueueTasks(database, [task]);
      await beginClusterToken(database, row.uid, taskUid, wish);
    }
    return { uid: row.uid, task, isNew };
  });
  if (begun?.isNew === true) deps.taskSignal.notify();
  return begun;
}

function openToken({ keyRing }: Pick<ApiDeps, "keyRing">, row: ClusterTokenRow): ClusterToken | undefined {
  if (row.sealed === null || row.expiresAt === null) return undefined;
  return { token: new Secret(unseal(keyRing, row.uid, row.sealed)), expiresAt: row.expiresAt };
}

/** Whoever waits for an agent that is not there is told so soon. */
async function requireAgentFor(
  deps: ApiDeps,
  { type, placement, payloadVersion, project, entityName }: TaskInsert,
): Promise<void> {
  const serving = (await listAgentPresence(deps.pool)).filter(
    (agent) => agent.isLive && (agent.project === systemProject || agent.project === project),
  );
  const agents = serving.flatMap(({ report }) => (report === null ? [] : [readAbility(report)]));
  const lack = findSmallestLack({ id: 0, placement, type, payloadVersion }, agents);
  if (lack === undefined) return;
  const labels = Object.entries(lack.labels).map(([label, value]) => `the label ${label}=${value}`);
  const lacks = [...labels, ...(lack.type === undefined ? [] : [`a handler for ${type}`])].join(" and ");
  const why = agents.length === 0 ? "no agent is connected" : `the nearest agent lacks ${lacks || "a newer release"}`;
  throw new Fault(apiFaults.access_not_in_time, `nobody can ask Cluster "${entityName}" for a token: ${why}`);
}

function late({ row: { name } }: BuiltCluster, { taskState }: ClusterTokenRow): Fault {
  const how = taskState === "leased" ? "an agent is still asking for it" : "no agent has taken the task yet";
  return new Fault(apiFaults.access_not_in_time, `Cluster "${name}" has given no token in time: ${how}`);
}

function failed({ row: { name } }: BuiltCluster, { outcome }: ClusterTokenRow): Fault {
  const { code = "", message = "the agent has kept none" } = outcome?.fault ?? {};
  const why = code === "" ? message : `${message} (${code})`;
  return new Fault(apiFaults.access_failed, `Cluster "${name}" gave no token: ${why}`);
}
