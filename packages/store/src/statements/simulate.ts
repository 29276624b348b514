import { retryCollisions, type Database } from "../pool.ts";

/** A record of a simulated cloud, as the simulator knows it. */
export interface SimulatedThing {
  readonly type: string;
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** One thing that is asked of a simulated cloud. `take` counts a call, and answers with what goes wrong with it. */
export type SimulatedAct =
  | { readonly do: "find" | "delete"; readonly type: string; readonly id: string }
  | { readonly do: "list"; readonly type?: string }
  | ({ readonly do: "create" | "put" } & SimulatedThing)
  | { readonly do: "take"; readonly operation: string; readonly type?: string };

/** A run that asks, by the credential of its task's state. */
export interface SimulatingRun {
  readonly hash: Buffer;
  readonly taskUid: string;
}

/** What came of it: an answer to each act, as JSON text, and whether anything is planned to go wrong; or why the run may not. */
export type Simulated =
  | { readonly answers: string; readonly faults: boolean }
  | { readonly refused: "ended" | "real" | "lapsed" };

const text = `with admitted as materialized (select refuse_simulated_run($1, $2, $3) as refused)
select a.refused, case when a.refused = '' then simulate($1, $4, $5) end::text as answers,
  exists (select from simulated_fault f where f.account_uid = $1 and f.seen < f.nth + f.times - 1) as faults
from admitted a`;

/**
 * Does what a run asks of its account's simulated cloud, in one statement: all of it or nothing, and only while the run's lease is held.
 * A request that is named is carried out once, however often it is sent.
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
  if (row === undefined) throw new Error("a statement without a row");
  return row.refused === "" ? { answers: row.answers, faults: row.faults } : { refused: row.refused };
}

/** Like `simulate`, for the control plane itself: what its simulated clusters do in their accounts' clouds. */
export async function askSimulatedCloud(database: Database, accountUid: string, act: SimulatedAct): Promise<unknown> {
  const own = { name: "ask-simulated-cloud", text: "select simulate($1, null, $2) -> 0 as answer" };
  const { rows } = await retryCollisions(() =>
    database.query<{ answer: unknown }>({ ...own, values: [accountUid, JSON.stringify([act])] }),
  );
  return rows[0]?.answer ?? undefined;
}
