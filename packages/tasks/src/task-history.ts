import type { Database } from "@cloudwright/store";

/** An event in the history of an operation's tasks. */
export interface TaskMoment {
  readonly what: "enqueued" | "started" | "tried" | "ended" | "line";
  readonly at: Date;
  readonly task: string;
  /** Task type, such as `network.apply`. */
  readonly type: string;
  readonly attempt: number;
  /** The agent's name, its uid if it was deleted, or null if no agent was involved. */
  readonly agent: string | null;
  /** Final state of the task: done, failed or cancelled. Null for other events. */
  readonly state: string | null;
  /** The reason why an attempt or a task ended, or the text of a log line. */
  readonly message: string | null;
}

/** Maximum number of tasks, which is more than any operation has. Further tasks are omitted. */
const mostTasks = 1000;
/** Size limit for all log lines. The oldest lines are omitted first. */
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
    -- Between two attempts, the task still refers to the previous one, which task_attempt already contains.
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
 * Returns the history of an operation's tasks and of the additional tasks in `taskUids`, oldest event first. `lines` limits the number of
 * log lines per task.
 */
export async function listTaskMoments(
  database: Database,
  of: { readonly operationUid: string; readonly taskUids: readonly string[] },
  lines: number,
): Promise<TaskMoment[]> {
  const values = [of.operationUid, lines, of.taskUids];
  return (await database.query<TaskMoment>({ name: "list-task-moments", text, values })).rows;
}
