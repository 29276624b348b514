import { retryCollisions, type Database } from "../pool.ts";

/** A record of a simulated cloud, as the simulator knows it. */
export interface SimulatedThing {
  readonly type: string;
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** One action on a simulated cloud. `take` counts a call and returns the simulated fault for it, if any. */
export type SimulatedAct =
  | { readonly do: "find" | "delete"; readonly type: string; readonly id: string }
  | { readonly do: "list"; readonly type?: string }
  | ({ readonly do: "create" | "put" } & SimulatedThing)
  | { readonly do: "take"; readonly operation: string; readonly type?: string };

/** A run that calls a simulated cloud, identified by the credential of its task's state. */
export interface SimulatingRun {
  readonly hash: Buffer;
  readonly taskUid: string;
}

/** The results of the actions as JSON texts and whether simulated faults are pending, or why the run was refused. */
export type Simulated =
  | { readonly answers: string; readonly faults: boolean }
  | { readonly refused: "ended" | "real" | "lapsed" };

const text = `with admitted as materialized (select refuse_simulated_run($1, $2, $3) as refused)
select a.refused, case when a.refused = '' then simulate($1, $4, $5) end::text as answers,
  exists (select from simulated_fault f where f.account_uid = $1 and f.seen < f.nth + f.times - 1) as faults
from admitted a`;

/**
 * Performs a run's actions on its account's simulated cloud in one statement, all or none, and only while the run holds its lease. A named
 * request is executed once, no matter how often it is sent.
 */
export async function simulate(
  database: Database,
  accountUid: string,
  run: SimulatingRun,
  asked: { readonly request: string | undefined; readonly acts: readonly SimulatedAct[] },
): Promise<Simulated> {
  const values = [accountUid, run.hash, run.taskUid, asked.request ?? null, JSON.stringify(asked.acts)];
  const { rows } = await retryCollisions(() =>
    database.query<{ refused: "" | "ended" | "real" | "lapsed"; answers: string; faults: boolean }>({
      name: "simulate",
      text,
      values,
    }),
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the statement returned no row");
  return row.refused === "" ? { answers: row.answers, faults: row.faults } : { refused: row.refused };
}

/** Like `simulate`, but for the control plane itself: actions of its simulated clusters in their accounts' clouds. */
export async function askSimulatedCloud(database: Database, accountUid: string, act: SimulatedAct): Promise<unknown> {
  const own = { name: "ask-simulated-cloud", text: "select simulate($1, null, $2) -> 0 as answer" };
  const { rows } = await retryCollisions(() =>
    database.query<{ answer: unknown }>({ ...own, values: [accountUid, JSON.stringify([act])] }),
  );
  return rows[0]?.answer ?? undefined;
}
