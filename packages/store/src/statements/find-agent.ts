import type { Database } from "../pool.ts";

/** What the endpoints need to know about a calling agent. */
export interface AgentRow {
  readonly uid: string;
  readonly name: string;
  readonly project: string;
  /** The JSON text of its public key. Empty if it has none. */
  readonly public_key: string;
  readonly draining: boolean;
}

const text = `select uid, name, project, coalesce(object #>> '{spec,publicKey}', '') as public_key,
  coalesce(object #>> '{spec,draining}' = 'true', false) as draining
from entity where uid = $1 and kind = 'Agent' and deleted_at is null`;

/** Finds an agent in any project. */
export async function findAgent(database: Database, uid: string): Promise<AgentRow | undefined> {
  return (await database.query<AgentRow>({ name: "find-agent", text, values: [uid] })).rows[0];
}
