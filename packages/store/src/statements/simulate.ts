import { retryCollisions, type Database } from "../pool.ts";

/** A resource in a simulated cloud. */
export interface SimulatedThing {
  readonly type: string;
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Position of a resource in a list. Lists are ordered by type and id. */
export interface SimulatedPlace {
  readonly type: string;
  readonly id: string;
}

/**
 * One action on a simulated cloud. `list` with `after` returns one page, as `{items, more}`; for the first page, `after` contains empty
 * strings. `trail` returns the last changes to a resource from the cloud's audit trail, newest first. `take` counts a call and returns the
 * simulated fault to inject, or null.
 */
export type SimulatedAct =
  | { readonly do: "find" | "delete" | "trail"; readonly type: string; readonly id: string }
  | { readonly do: "list"; readonly type?: string; readonly after?: SimulatedPlace }
  | ({ readonly do: "create" | "put" } & SimulatedThing)
  | { readonly do: "take"; readonly operation: string; readonly type?: string };

/** A run that calls a simulated cloud. It is identified by its state credential. */
export interface SimulatingRun {
  readonly hash: Buffer;
  readonly taskUid: string;
}

/** The results as JSON text and whether simulated faults are pending, or the reason why the run was refused. */
export type Simulated =
  | { readonly answers: string; readonly faults: boolean }
  | { readonly refused: "ended" | "real" | "lapsed" };

const text = `with admitted as materialized (select refuse_simulated_run($1, $2, $3) as refused)
select a.refused, case when a.refused = '' then simulate($1, $4, $5, 'cloudwright-' || $3) end::text as answers,
  exists (select from simulated_fault f where f.account_uid = $1 and f.seen < f.nth + f.times - 1) as faults
from admitted a`;

/**
 * Performs all of a run's actions on the simulated cloud of its account, or none. The run must hold its lease. A request with an id is
 * executed only once, even if it is sent several times.
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

/** Returns whether a statement failed because a resource, a simulated cloud or a response would be larger than allowed. */
export function isSimulationTooLarge(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "CW413";
}

const size = `select coalesce(sum(bytes), 0)::float8 as bytes from simulated_record
where account_uid = $1 and ($2::text[] is null or type = any($2))`;

/** Returns the total size of the resources in the lists that these actions request without paging. */
export async function sizeSimulatedLists(database: Database, accountUid: string, acts: readonly SimulatedAct[]): Promise<number> {
  const whole = acts.flatMap((act) => (act.do === "list" && act.after === undefined ? [act.type ?? null] : []));
  if (whole.length === 0) return 0;
  const types = whole.includes(null) ? null : whole;
  const { rows } = await database.query<{ bytes: number }>({
    name: "size-simulated-lists",
    text: size,
    values: [accountUid, types],
  });
  return rows[0]?.bytes ?? 0;
}

const admit = `select refuse_simulated_run($1, $2, $3) as refused, coalesce((select t.project from task t where t.uid = $3), '') as project`;

/** Returns the project of a run, and whether it may use the simulated cloud of an account. */
export async function admitSimulatingRun(
  database: Database,
  accountUid: string,
  run: SimulatingRun,
): Promise<{ readonly refused: "" | "ended" | "real" | "lapsed"; readonly project: string }> {
  const { rows } = await database.query<{ refused: "" | "ended" | "real" | "lapsed"; project: string }>({
    name: "admit-simulating-run",
    text: admit,
    values: [accountUid, run.hash, run.taskUid],
  });
  return rows[0] ?? { refused: "ended", project: "" };
}

/** Like `simulate`, but for the control plane, which performs actions on behalf of simulated clusters. */
export async function askSimulatedCloud(database: Database, accountUid: string, act: SimulatedAct): Promise<unknown> {
  const own = { name: "ask-simulated-cloud", text: "select simulate($1, null, $2) -> 0 as answer" };
  const { rows } = await retryCollisions(() =>
    database.query<{ answer: unknown }>({ ...own, values: [accountUid, JSON.stringify([act])] }),
  );
  return rows[0]?.answer ?? undefined;
}
