import type { Database } from "../pool.ts";
import { traceParameters, traceSql, type AuditWrite } from "../trace.ts";

/** A stored simulated fault. */
export interface SimulatedFaultRow {
  readonly uid: string;
  /** Integer as text. */
  readonly position: string;
  readonly operation: string;
  /** Resource type, or empty for all types. */
  readonly type: string;
  readonly nth: number;
  readonly times: number;
  readonly seen: number;
  /** The kind of failure, in the simulator's own format. */
  readonly mishap: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
  readonly actor: string;
}

const columns = "uid, position, operation, type, nth, times, seen, mishap, created_at, actor";

/** Maximum number of pending simulated faults per account. Every request to the simulated cloud checks all of them. */
export const mostSimulatedFaults = 100;

const insert = `with written as (
  insert into simulated_fault (uid, account_uid, operation, type, nth, times, mishap, actor) select $1::uuid, $2::uuid, $3, $4, $5::integer, $6::integer, $7::jsonb, $8
  where (select count(*) from simulated_fault where account_uid = $2 and seen < nth + times - 1) < ${mostSimulatedFaults} returning ${columns}
), ${traceSql("written", 9)} select * from written`;

/** Stores a simulated fault. Returns undefined if the account already has as many pending faults as allowed. */
export async function insertSimulatedFault(
  database: Database,
  accountUid: string,
  fault: Omit<SimulatedFaultRow, "position" | "seen" | "created_at">,
  audit: AuditWrite,
): Promise<SimulatedFaultRow | undefined> {
  const { uid, operation, type, nth, times, mishap, actor } = fault;
  const values = [uid, accountUid, operation, type, nth, times, JSON.stringify(mishap), actor, ...trace(audit)];
  const { rows } = await database.query<SimulatedFaultRow>({ text: insert, values });
  return rows[0];
}

/** Returns one page of simulated faults in the order in which they were added. */
export async function listSimulatedFaults(
  database: Database,
  asked: { readonly accountUid: string; readonly after: string | undefined; readonly limit: number },
): Promise<SimulatedFaultRow[]> {
  const text = `select ${columns} from simulated_fault where account_uid = $1 and ($2::bigint is null or position > $2) order by position limit $3`;
  return (await database.query<SimulatedFaultRow>({ text, values: [asked.accountUid, asked.after ?? null, asked.limit] })).rows;
}

/** Counts the simulated faults that are still pending. */
export async function countSimulatedFaults(database: Database, accountUid: string): Promise<number> {
  const text = "select count(*)::int as count from simulated_fault where account_uid = $1 and seen < nth + times - 1";
  return (await database.query<{ count: number }>({ text, values: [accountUid] })).rows[0]?.count ?? 0;
}

const clear = `with cleared as (delete from simulated_fault where account_uid = $1 and ($2::uuid is null or uid = $2) returning uid),
written as (select where $2::uuid is null or exists (select from cleared)), ${traceSql("written", 3)} select (select count(*)::int from cleared) as count`;

/** Deletes one simulated fault, or all simulated faults of an account. Returns the number of deleted faults. */
export async function deleteSimulatedFaults(
  database: Database,
  accountUid: string,
  uid: string | undefined,
  audit: AuditWrite,
): Promise<number> {
  const values = [accountUid, uid ?? null, ...trace(audit)];
  return (await database.query<{ count: number }>({ text: clear, values })).rows[0]?.count ?? 0;
}

function trace(audit: AuditWrite): string[] {
  return traceParameters({ changes: [], events: [], audits: [audit] });
}
