import type { Database } from "../pool.ts";

/** A request for an access token for a cluster. */
export interface ClusterTokenRequest {
  /** Uid to use if a new record has to be created. */
  readonly uid: string;
  readonly clusterUid: string;
  readonly role: "admin" | "viewer";
  readonly ttlSeconds: number;
  /** The cluster's current API address. */
  readonly server: string;
  readonly askedBy: string;
}

/** A stored token, or a token request that is still in progress. */
export interface ClusterTokenRow {
  readonly uid: string;
  /** The task that fetches the token from the cluster, or null if none has been created yet. */
  readonly taskUid: string | null;
  /** State of that task, or null if the task was pruned. */
  readonly taskState: string | null;
  readonly outcome: { readonly fault?: { readonly code: string; readonly message: string } } | null;
  /** The encrypted token. Null if there is none yet, if less than half of its lifetime remains, or if the cluster's address has changed. */
  readonly sealed: Buffer | null;
  readonly expiresAt: Date | null;
}

const isFresh = "c.sealed is not null and c.server = $2 and c.expires_at - clock_timestamp() > (c.expires_at - c.made_at) / 2";
const find = `select c.uid, c.task_uid as "taskUid", s.state as "taskState", s.outcome,
  case when ${isFresh} then c.sealed end as sealed, case when ${isFresh} then c.expires_at end as "expiresAt"
from cluster_token c left join task_state s on s.uid = c.task_uid where c.uid = $1`;

/** Returns a token record, or undefined if it was deleted together with its cluster. */
export async function findClusterToken(database: Database, uid: string, server: string): Promise<ClusterTokenRow | undefined> {
  return (await database.query<ClusterTokenRow>({ name: "find-cluster-token", text: find, values: [uid, server] })).rows[0];
}

const lock = `insert into cluster_token (uid, cluster_uid, role, ttl_seconds, server, asked_by)
select $1, e.uid, $3, $4, $5, $6 from entity e where e.uid = $2 and e.kind = 'Cluster' and e.deleted_at is null
on conflict (cluster_uid, role, ttl_seconds) do update set role = excluded.role
returning uid`;

/** Finds or creates the record for a request and locks it until the transaction ends. Returns undefined if the cluster is being deleted. */
export async function lockClusterToken(database: Database, request: ClusterTokenRequest): Promise<ClusterTokenRow | undefined> {
  const values = [request.uid, request.clusterUid, request.role, request.ttlSeconds, request.server, request.askedBy];
  const { rows } = await database.query<{ uid: string }>({ name: "lock-cluster-token", text: lock, values });
  return rows[0] === undefined ? undefined : findClusterToken(database, rows[0].uid, request.server);
}

const begin = `update cluster_token set task_uid = $2, server = $3, asked_by = $4, asked_at = clock_timestamp(), sealed = null, made_at = null,
  expires_at = null where uid = $1`;

/** Records the task that fetches a new token, and discards the previous token. */
export async function beginClusterToken(
  database: Database,
  uid: string,
  taskUid: string,
  { server, askedBy }: Pick<ClusterTokenRequest, "server" | "askedBy">,
): Promise<void> {
  await database.query({ name: "begin-cluster-token", text: begin, values: [uid, taskUid, server, askedBy] });
}

const heldBy = `from task t join task_line l on l.entity_uid = t.entity_uid and l.task_uid = t.uid
where t.uid = $1 and l.lease_token = $2 and l.agent_uid = $3 and l.leased_until > clock_timestamp() and c.uid = t.entity_uid and c.task_uid = t.uid`;
const locate = `select c.uid from cluster_token c, lateral (select 1 ${heldBy}) held`;
const keep = `update cluster_token c set sealed = $4, expires_at = $5, made_at = clock_timestamp() ${heldBy} returning c.uid`;

/** Identifies an agent's lease on the task that fetches a token. */
export interface TokenHolder {
  readonly taskUid: string;
  readonly leaseToken: string;
  readonly agentUid: string;
}

/**
 * Returns the uid of the record for which the agent's task fetches a token. Returns undefined if the agent does not hold the task, or if
 * the task does not fetch a token.
 */
export async function findHeldClusterToken(database: Database, held: TokenHolder): Promise<string | undefined> {
  const values = [held.taskUid, held.leaseToken, held.agentUid];
  return (await database.query<{ uid: string }>({ name: "find-held-cluster-token", text: locate, values })).rows[0]?.uid;
}

/** Stores the token that the cluster issued. Returns false if the agent no longer holds the task. */
export async function keepClusterToken(
  database: Database,
  held: TokenHolder,
  token: { readonly sealed: Buffer; readonly expiresAt: string },
): Promise<boolean> {
  const values = [held.taskUid, held.leaseToken, held.agentUid, token.sealed, token.expiresAt];
  return (await database.query({ name: "keep-cluster-token", text: keep, values })).rows.length === 1;
}
