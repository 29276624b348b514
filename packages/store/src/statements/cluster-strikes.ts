import type { Database } from "../pool.ts";

// After a week without a strike, earlier ones no longer count.
const count = (row: string): string =>
  `strikes = case when ${row}.struck_at > clock_timestamp() - interval '7 days' then ${row}.strikes + 1 else 1 end`;

const strike = `update simulated_cluster c set struck_at = clock_timestamp(), ${count("c")} where id = $1 returning strikes`;

/**
 * Records a strike: the process that serves simulated clusters died while it was working for this cluster. Returns false if the cluster
 * does not exist.
 */
export async function strikeSimulatedCluster(database: Database, id: string): Promise<boolean> {
  return (await database.query({ text: strike, values: [id] })).rows.length === 1;
}

const strikeAccount = `insert into simulated_account_strike as a (account_uid, strikes, struck_at)
select e.uid, 1, clock_timestamp() from entity e where e.uid = $1 and e.kind = 'Account'
on conflict (account_uid) do update set struck_at = excluded.struck_at, ${count("a")} returning strikes`;

/**
 * Records a strike: the process that serves simulated clusters died while it was reading the resources of this account. Returns false if
 * the account does not exist.
 */
export async function strikeSimulatedAccount(database: Database, accountUid: string): Promise<boolean> {
  return (await database.query({ text: strikeAccount, values: [accountUid] })).rows.length === 1;
}

// The pause lasts 15 minutes after the first strike, four times as long after each further one, and at most a day.
const until = (row: string): string =>
  `${row}.struck_at + least(interval '15 minutes' * 4 ^ (least(${row}.strikes, 10) - 1), interval '1 day')`;

const pause = `select p.until from (
  select greatest(${until("c")}, ${until("a")}) as until
  from simulated_cluster c left join simulated_account_strike a on a.account_uid = c.account_uid where c.id = $1
) p where p.until > clock_timestamp()`;

/**
 * Returns the time until which a cluster must not be loaded because of its strikes or those of its account. Returns undefined if it may be
 * loaded.
 */
export async function findClusterPause(database: Database, id: string): Promise<Date | undefined> {
  const { rows } = await database.query<{ until: Date }>({ name: "find-cluster-pause", text: pause, values: [id] });
  return rows[0]?.until;
}

const paused = `select a.account_uid as "accountUid" from simulated_account_strike a where ${until("a")} > clock_timestamp()`;

/** Returns the accounts whose resources must not be read because of their strikes. */
export async function listPausedAccounts(database: Database): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ accountUid: string }>({ name: "list-paused-accounts", text: paused, values: [] });
  return new Set(rows.map(({ accountUid }) => accountUid));
}
