import type { Database } from "@cloudwright/store";

/**
 * Extends all leases to their full duration and returns their count. Called after an outage of the control plane, during which agents could
 * not renew them.
 */
export async function extendAllLeases(database: Database, leaseSeconds: number): Promise<number> {
  const text = `update task_line l set leased_until = greatest(l.leased_until, clock_timestamp() + make_interval(secs => $1))
    from (select entity_uid from task_line where lease_token is not null order by entity_uid for update) held where l.entity_uid = held.entity_uid`;
  const { rowCount } = await database.query({ name: "extend-all-leases", text, values: [leaseSeconds] });
  return rowCount ?? 0;
}
