import { gather } from "@cloudwright/platform";
import type { Database } from "../pool.ts";

/** The data about a calling agent that endpoints need. */
export interface AgentRow {
  readonly uid: string;
  readonly name: string;
  readonly project: string;
  /** Public key of the agent as JSON text, or empty if it has none. */
  readonly public_key: string;
  readonly draining: boolean;
}

const text = `select uid, name, project, coalesce(object #>> '{spec,publicKey}', '') as public_key,
  coalesce(object #>> '{spec,draining}' = 'true', false) as draining
from entity where uid = any ($1) and kind = 'Agent' and deleted_at is null`;

const finders = new WeakMap<Database, (uid: string) => Promise<AgentRow | undefined>>();

/** Finds an agent in any project. Concurrent lookups share one statement. */
export async function findAgent(database: Database, uid: string): Promise<AgentRow | undefined> {
  const find = finders.get(database) ?? gather((uids: readonly string[]) => findAgents(database, uids));
  finders.set(database, find);
  return find(uid);
}

async function findAgents(database: Database, uids: readonly string[]): Promise<(AgentRow | undefined)[]> {
  const { rows } = await database.query<AgentRow>({ name: "find-agents", text, values: [[...new Set(uids)]] });
  const byUid = new Map(rows.map((row) => [row.uid, row]));
  return uids.map((uid) => byUid.get(uid));
}
