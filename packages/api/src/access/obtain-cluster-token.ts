import { createUid, Fault, Secret } from "@cloudwright/platform";
import {
  beginClusterToken,
  findClusterToken,
  lockClusterToken,
  readAgentGrants,
  unseal,
  waitForSignal,
  type ClusterTokenRow,
} from "@cloudwright/store";
import {
  enqueueTasks,
  findSmallestLack,
  identityEntry,
  listAgentPresence,
  readAbility,
  type TaskInsert,
} from "@cloudwright/tasks";
import { requireCaller, type Call } from "../calls/authorise.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { textAt } from "../entities/json-tree.ts";
import { renderTokenTask, type BuiltCluster, type TokenRequest } from "./render-token-task.ts";

export interface ClusterToken {
  readonly token: Secret;
  readonly expiresAt: Date;
}

/** Default limit on how long a caller waits for a token. A connected agent usually needs one or two seconds. */
const usualWaitMs = 20_000;
/** Grace period for an agent to pick up the task. Connected agents poll more often than this. */
const placeableAfterMs = 3000;
const recheckMs = 1000;
/** Minimum pause between checks for the token. Without it, all waiting callers would check again each time any task finishes. */
const restMs = 100;
const open: ReadonlySet<string | null> = new Set(["waiting", "ready", "leased"]);

/**
 * Returns a token for a real cluster, with the requested role and lifetime. A stored token is reused while more than half of its
 * lifetime remains; otherwise an agent obtains a new one. Concurrent callers share one task. Returns undefined if the cluster is being
 * deleted.
 */
export async function obtainClusterToken(
  deps: ApiDeps,
  call: Call,
  cluster: BuiltCluster,
  asked: TokenRequest,
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

/** Finds or creates the token's record. Enqueues a task unless a valid token is stored or another task is already requesting one. */
async function begin(
  deps: ApiDeps,
  call: Call,
  cluster: BuiltCluster,
  asked: TokenRequest,
  server: string,
): Promise<{ readonly uid: string; readonly task: TaskInsert } | undefined> {
  const [newUid, taskUid] = [createUid(deps.clock.now()), createUid(deps.clock.now())];
  const insert = { uid: newUid, clusterUid: cluster.row.uid, server, askedBy: requireCaller(call).user, ...asked };
  const begun = await deps.pool.transaction(async (database) => {
    const row = await lockClusterToken(database, insert);
    if (row === undefined) return undefined;
    const task = renderTokenTask(cluster, row.uid, taskUid, asked);
    const isNew = row.sealed === null && !open.has(row.taskState);
    if (isNew) {
      await enqueueTasks(database, [task]);
      await beginClusterToken(database, row.uid, taskUid, insert);
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

/** Throws if no connected agent can run the task, so that the caller does not wait until the timeout. */
async function requireAgentFor(
  deps: ApiDeps,
  { type, placement, payloadVersion, project, entityName }: TaskInsert,
): Promise<void> {
  const live = (await listAgentPresence(deps.pool)).filter((agent) => agent.isLive);
  const agents = live.flatMap(({ project: home, object, report }) => {
    const { serves, identity } = readAgentGrants(home, parseEntity(object).spec, []);
    const isServing = serves === undefined || serves.includes(project);
    return report === null || !isServing ? [] : [{ ...readAbility(report), identity }];
  });
  const lack = findSmallestLack({ id: 0, placement, type, payloadVersion }, agents);
  if (lack === undefined) return;
  const labels = Object.entries(lack.labels).map(([label, value]) =>
    label === identityEntry ? `permission for project ${project} to use its cloud identity` : `the label ${label}=${value}`,
  );
  const lacks = [...labels, ...(lack.type === undefined ? [] : [`a handler for ${type}`])].join(" and ");
  const why =
    agents.length === 0
      ? "no agent is connected"
      : `the closest matching agent lacks ${lacks || "support for the task's payload version"}`;
  throw new Fault(apiFaults.access_not_in_time, `no agent can request a token for Cluster "${entityName}": ${why}`);
}

function late({ row: { name } }: BuiltCluster, { taskState }: ClusterTokenRow): Fault {
  const how = taskState === "leased" ? "an agent is still requesting it" : "no agent has taken the task yet";
  return new Fault(apiFaults.access_not_in_time, `no token for Cluster "${name}" was obtained in time: ${how}`);
}

function failed({ row: { name } }: BuiltCluster, { outcome }: ClusterTokenRow): Fault {
  const { code = "", message = "the agent stored no token" } = outcome?.fault ?? {};
  const why = code === "" ? message : `${message} (${code})`;
  return new Fault(apiFaults.access_failed, `could not obtain a token for Cluster "${name}": ${why}`);
}
