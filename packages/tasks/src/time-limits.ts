import type { Database } from "@cloudwright/store";
import { cancelTasks } from "./cancel.ts";
import { taskFaults } from "./faults.ts";
import type { Lane } from "./task.ts";

/** Maximum duration of one attempt in seconds, per task type or per lane. */
export interface TaskTimeLimits {
  readonly byLane: Readonly<Record<Lane, number>>;
  readonly byType: Readonly<Record<string, number>>;
}

/** How long an agent may take to stop a task. Terraform needs time to store its state. */
export const stopSeconds = 300;
/** Retention period of stop records. A record is needed only while its lease exists. */
const keepStops = "1 day";

export interface LimitedTasks {
  /** Number of tasks whose agents were asked to stop them. */
  readonly cancelled: number;
  /** Number of tasks whose leases are no longer renewed because their agents did not stop them. */
  readonly fenced: number;
}

/**
 * Cancels attempts that exceed their time limit. The reason is shown in the operation, which a user can retry. If the agent does not stop
 * an attempt, the attempt is fenced: its lease is no longer renewed and expires, which frees the slot. Attempts that were interrupted for
 * another project are also fenced if they do not stop. Their tasks go back to the queue.
 */
export async function enforceTimeLimits(database: Database, limits: TaskTimeLimits): Promise<LimitedTasks> {
  const overdue = await listOverdue(database, limits);
  const late = overdue.filter(({ kind }) => kind !== "late");
  for (const { uid, type, limit_seconds } of late)
    await cancelTasks(database, { uids: [uid] }, { reason: describe(type, limit_seconds), running: "stop" });
  if (late.length > 0) await mark(database, late, "late");
  const stubborn = overdue.filter(({ kind, stop_seconds }) => kind === "late" && stop_seconds > stopSeconds);
  if (stubborn.length > 0) await mark(database, stubborn, "fenced");
  return { cancelled: late.length, fenced: stubborn.length + (await fenceInterrupted(database)) };
}

/** Fences attempts that were interrupted for another project and did not stop. Returns their count. */
async function fenceInterrupted(database: Database): Promise<number> {
  const text = `update task_stop s set kind = 'fenced', at = clock_timestamp() from task_line l
    where l.lease_token = s.lease_token and s.kind = 'requeued' and s.at < clock_timestamp() - make_interval(secs => $1)`;
  return (await database.query({ name: "fence-interrupted-tasks", text, values: [stopSeconds] })).rowCount ?? 0;
}

interface Overdue {
  readonly uid: string;
  readonly type: string;
  readonly lease_token: string;
  readonly limit_seconds: number;
  /** The last measure that the platform took to stop the attempt. `stop_seconds` is the time since then. */
  readonly kind: "requeued" | "late" | null;
  readonly stop_seconds: number;
}

async function listOverdue(database: Database, { byLane, byType }: TaskTimeLimits): Promise<Overdue[]> {
  const text = `select l.task_uid as uid, d.type, l.lease_token, n.limit_seconds, s.kind,
      coalesce(extract(epoch from clock_timestamp() - s.at), 0)::float8 as stop_seconds
    from task_line l join task_demand d on d.id = l.demand left join task_stop s on s.lease_token = l.lease_token
    cross join lateral (select coalesce(($1::json ->> d.type)::float8, ($2::json ->> l.lane)::float8) as limit_seconds) n
    where l.lease_token is not null and l.started_at < clock_timestamp() - make_interval(secs => n.limit_seconds)
      and s.kind is distinct from 'fenced'
    order by l.started_at limit 100`;
  const values = [JSON.stringify(byType), JSON.stringify(byLane)];
  return (await database.query<Overdue>({ name: "list-overdue-tasks", text, values })).rows;
}

async function mark(database: Database, tasks: readonly Overdue[], kind: "late" | "fenced"): Promise<void> {
  const text = `with old as (delete from task_stop where at < clock_timestamp() - interval '${keepStops}' and lease_token <> all ($1))
    insert into task_stop (lease_token, reason, kind) select unnest($1::uuid[]), unnest($2::text[]), $3
    on conflict (lease_token) do update set kind = excluded.kind, reason = excluded.reason, at = excluded.at
    where task_stop.kind <> excluded.kind and task_stop.kind <> 'fenced'`;
  const reasons = tasks.map(({ type, limit_seconds }) => describe(type, limit_seconds));
  await database.query({
    name: "mark-overdue-tasks",
    text,
    values: [tasks.map(({ lease_token }) => lease_token), reasons, kind],
  });
}

function describe(type: string, seconds: number): string {
  const limit = seconds % 3600 === 0 ? `${seconds / 3600} h` : seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
  return `${type} ran longer than its time limit of ${limit} (${taskFaults.too_long.code}). ${taskFaults.too_long.help}`;
}
