import type { Database } from "@cloudwright/store";

/** One moment in the history of an operation's tasks. */
export interface TaskMoment {
  readonly what: "enqueued" | "started" | "tried" | "ended" | "line";
  readonly at: Date;
  readonly task: string;
  /** The type of the task, such as `network.apply`. */
  readonly type: string;
  readonly attempt: number;
  /** The agent's name, its uid if it was deleted, or null if no agent was involved. */
  readonly agent: string | null;
  /** How the task ended: done, failed or cancelled. */
  readonly state: string | null;
  /** Why an attempt or the task ended, or the log line itself. */
  readonly message: string | null;
}

/** More than an operation ever has. Further tasks are omitted. */
const mostTasks = 1000;
/** Further lines are omitted, oldest first. */
const mostLineBytes = 4 * 1024 * 1024;

const reason = (outcome: string): string => `coalesce(${outcome} -> 'fault' ->> 'message', ${outcome} ->> 'message')`;

const text = `with own as materialized (
    select t.uid, t.created_at, t.started_at, t.ended_at, t.attempt, t.agent_uid, t.state, t.cancel_reason, t.outcome, d.type
    from task_state t join task_demand d on d.id = t.demand where t.operation_uid = $1 or t.uid = any ($3) order by t.position limit ${mostTasks}
  ), lines as (
    select * from (
      select l.*, sum(octet_length(l.line)) over (order by l.at desc, l.task_uid, l.attempt desc, l.seq desc) as bytes
      from own cross join lateral (select * from task_log l where l.task_uid = own.uid order by l.attempt desc, l.seq desc limit $2) l
    ) newest where bytes <= ${mostLineBytes}
  ), moments as (
    select 0 as rank, 'enqueued' as what, created_at as at, uid as task, type, 0 as attempt, null::uuid as agent_uid, null as state, null as message, 0 as seq from own
    union all
    select 1, 'started', a.started_at, own.uid, type, a.attempt, a.agent_uid, null, null, 0 from own join task_attempt a on a.task_uid = own.uid
    union all
    select 3, 'tried', a.ended_at, own.uid, type, a.attempt, a.agent_uid, null, ${reason("a.outcome")}, 0 from own join task_attempt a on a.task_uid = own.uid
    union all
    -- Between two attempts the line still speaks of the last one, which is among the attempts already.
    select 1, 'started', started_at, uid, type, attempt, agent_uid, null, null, 0 from own
      where started_at is not null and attempt > 0 and not exists (select from task_attempt a where a.task_uid = own.uid and a.attempt = own.attempt)
    union all
    select 4, 'ended', ended_at, uid, type, attempt, agent_uid, state, coalesce(${reason("outcome")}, nullif(cancel_reason, '')), 0 from own where ended_at is not null
    union all
    select 2, 'line', l.at, l.task_uid, type, l.attempt, null, null, l.line, l.seq from lines l join own on own.uid = l.task_uid
  )
  select m.what, m.at, m.task, m.type, m.attempt, coalesce(e.name, m.agent_uid::text) as agent, m.state, m.message
  from moments m left join entity e on e.uid = m.agent_uid order by m.at, m.rank, m.task, m.attempt, m.seq`;

/**
 * Returns everything that happened to the tasks of an operation and to others that serve it, in order, with up to this many of the last log
 * lines of each task.
 */
export async function listTaskMoments(
  database: Database,
  of: { readonly operationUid: string; readonly taskUids: readonly string[] },
  lines: number,
): Promise<TaskMoment[]> {
  const values = [of.operationUid, lines, of.taskUids];
  return (await database.query<TaskMoment>({ name: "list-task-moments", text, values })).rows;
}
