import type { Database } from "../pool.ts";

/** A token that somebody wants of a cluster. */
export interface ClusterTokenWish {
  /** Of the record, when there is none yet. */
  readonly uid: string;
  readonly clusterUid: string;
  readonly role: "admin" | "viewer";
  readonly ttlSeconds: number;
  /** Where the cluster answers now. */
  readonly server: string;
  readonly askedBy: string;
}

/** How it stands with a token. */
export interface ClusterTokenRow {
  readonly uid: string;
  /** The task that asks for it; null when none does. */
  readonly taskUid: string | null;
  /** State and outcome of that task; null when it is forgotten. */
  readonly taskState: string | null;
  readonly outcome: { readonly fault?: { readonly code: string; readonly message: string } } | null;
  /** There while more than half of its life is left, and the cluster answers where it did. */
  readonly sealed: Buffer | null;
  readonly expiresAt: Date | null;
}

const isFresh = "c.sealed is not null and c.server = $2 and c.expires_at - clock_timestamp() > (c.expires_at - c.made_at) / 2";
const find = `select c.uid, c.task_uid as "taskUid", s.state as "taskState", s.outcome,
  case when ${isFresh} then c.sealed end as sealed, case when ${isFresh} then c.expires_at end as "expiresAt"
from cluster_token c left join task_state s on s.uid = c.task_uid where c.uid = $1`;

/** How it stands with the token of a record; undefined when it went, as its cluster does. */
export async function findClusterToken(database: Database, uid: string, server: string): Promise<ClusterTokenRow | undefined> {
  return (await database.query<ClusterTokenRow>({ name: "find-cluster-token", text: find, values: [uid, server] })).rows[0];
}

const lock = `insert into cluster_token (uid, cluster_uid, role, ttl_seconds, server, asked_by)
select $1, e.uid, $3, $4, $5, $6 from entity e where e.uid = $2 and e.kind = 'Cluster' and e.deleted_at is null
on conflict (cluster_uid, role, ttl_seconds) do update set role = excluded.role
returning uid`;

/** The same by what is wanted, made when there is none, and locked until the transaction ends; undefined when the cluster is going. */
export async function lockClusterToken(database: Database, wish: ClusterTokenWish): Promise<ClusterTokenRow | undefined> {
  const values = [wish.uid, wish.clusterUid, wish.role, wish.ttlSeconds, wish.server, wish.askedBy];
  const { rows } = await database.query<{ uid: string }>({ name: "lock-cluster-token", text: lock, values });
  return rows[0] === undefined ? undefined : findClusterToken(database, rows[0].uid, wish.server);
}

const begin = `update cluster_token set task_uid = $2, server = $3, asked_by = $4, asked_at = clock_timestamp(), sealed = null, made_at = null,
  expires_at = null where uid = $1`;

/** Notes the task that asks for a new one in place of what there was. */
export async function beginClusterToken(
  database: Database,
  uid: string,
  taskUid: string,
  { server, askedBy }: Pick<ClusterTokenWish, "server" | "askedBy">,
): Promise<void> {
  await database.query({ name: "begin-cluster-token", text: begin, values: [uid, taskUid, server, askedBy] });
}

const heldBy = `from task t join task_line l on l.entity_uid = t.entity_uid and l.task_uid = t.uid
where t.uid = $1 and l.lease_token = $2 and l.agent_uid = $3 and l.leased_until > clock_timestamp() and c.uid = t.entity_uid and c.task_uid = t.uid`;
const locate = `select c.uid from cluster_token c, lateral (select 1 ${heldBy}) held`;
const keep = `update cluster_token c set sealed = $4, expires_at = $5, made_at = clock_timestamp() ${heldBy} returning c.uid`;

/** Who says that they hold the task that asks for a token. */
export interface TokenHolder {
  readonly taskUid: string;
  readonly leaseToken: string;
  readonly agentUid: string;
}

/** The record that the task of an agent asks for a token for; undefined when it does not hold it, or it is for none. */
export async function findHeldClusterToken(database: Database, held: TokenHolder): Promise<string | undefined> {
  const values = [held.taskUid, held.leaseToken, held.agentUid];
  return (await database.query<{ uid: string }>({ name: "find-held-cluster-token", text: locate, values })).rows[0]?.uid;
}

/** Keeps what the cluster has given; false when the task is not the agent's any more. */
export async function keepClusterToken(
  database: Database,
  held: TokenHolder,
  token: { readonly sealed: Buffer; readonly expiresAt: string },
): Promise<boolean> {
  const values = [held.taskUid, held.leaseToken, held.agentUid, token.sealed, token.expiresAt];
  return (await database.query({ name: "keep-cluster-token", text: keep, values })).rows.length === 1;
}
