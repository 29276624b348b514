import type { Database } from "../pool.ts";

// After a week without a strike, earlier ones no longer count.
const strike = `update simulated_cluster set struck_at = clock_timestamp(),
  strikes = case when struck_at > clock_timestamp() - interval '7 days' then strikes + 1 else 1 end
where id = $1 returning strikes`;

/**
 * Records a strike: the process that serves simulated clusters died while it was working for this cluster. Returns false if the cluster
 * does not exist.
 */
export async function strikeSimulatedCluster(database: Database, id: string): Promise<boolean> {
  return (await database.query({ text: strike, values: [id] })).rows.length === 1;
}

// The pause lasts 15 minutes after the first strike, four times as long after each further one, and at most a day.
const pause = `select p.until from (
  select struck_at + least(interval '15 minutes' * 4 ^ (least(strikes, 10) - 1), interval '1 day') as until from simulated_cluster where id = $1
) p where p.until > clock_timestamp()`;

/** Returns the time until which a cluster must not be loaded because of its strikes. Returns undefined if it may be loaded. */
export async function findClusterPause(database: Database, id: string): Promise<Date | undefined> {
  const { rows } = await database.query<{ until: Date }>({ name: "find-cluster-pause", text: pause, values: [id] });
  return rows[0]?.until;
}
