import type { Database } from "../pool.ts";

export interface EntityEvent {
  readonly at: Date;
  readonly reason: string;
  readonly message: string;
  readonly actor: string;
}

/**
 * Maximum number of events to return. A single operation causes fewer events than this. Beyond the limit, the newest events are dropped.
 */
const most = 1000;

/** Returns the events of the given entities between two times, oldest first. */
export async function listEntityEvents(
  database: Database,
  uids: readonly string[],
  from: string,
  to: string | null,
): Promise<EntityEvent[]> {
  const text = `select at, reason, message, actor from event
    where entity_uid = any ($1) and at >= $2 and ($3::timestamptz is null or at <= $3) order by at, uid limit ${most}`;
  return (await database.query<EntityEvent>({ name: "list-entity-events", text, values: [uids, from, to] })).rows;
}
