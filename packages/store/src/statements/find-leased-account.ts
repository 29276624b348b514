import type { Database } from "../pool.ts";

/** Account that a task uses, with its encrypted secrets. */
export interface LeasedAccount {
  readonly uid: string;
  readonly project: string;
  readonly name: string;
  /** Uid of the account's project. */
  readonly projectUid: string;
  /** The account entity as JSON text. */
  readonly object: string;
  readonly sealed: Buffer | null;
}

const text = `select a.uid, a.project, a.name, a.parent_uid as "projectUid", a.object::text as object, a.sealed
from task t join task_line l on l.entity_uid = t.entity_uid and l.task_uid = t.uid
join entity a on a.uid = t.account_uid and a.kind = 'Account'
where t.uid = $1 and a.project = t.project and l.lease_token = $2 and l.agent_uid = $3 and l.leased_until > clock_timestamp()`;

/** Finds the account that a task uses. Returns undefined if the agent does not hold the task, or if the task has no account. */
export async function findLeasedAccount(
  database: Database,
  held: { readonly taskUid: string; readonly leaseToken: string; readonly agentUid: string },
): Promise<LeasedAccount | undefined> {
  const values = [held.taskUid, held.leaseToken, held.agentUid];
  const { rows } = await database.query<LeasedAccount>({ name: "find-leased-account", text, values });
  return rows[0];
}
