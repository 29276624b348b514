import { taskFaults } from "./faults.ts";
import { finishTasks, type FinishDeps, type FinishedTask } from "./finish.ts";
import type { TaskOutcome } from "./task.ts";

const outcome: TaskOutcome = {
  state: "failed",
  fault: {
    code: taskFaults.lease_expired.code,
    message: "the agent stopped renewing its lease",
    retry: taskFaults.lease_expired.retry,
  },
};

/**
 * Takes back tasks whose leases expired longer ago than the grace period. The tasks are retried, or fail if no attempts are left. The grace
 * period gives the agent's watchdog time to kill running programs.
 */
export async function reapTasks(deps: FinishDeps, graceSeconds: number, most = 500): Promise<FinishedTask[]> {
  const text = `select task_uid, lease_token from task_line
    where lease_token is not null and leased_until < clock_timestamp() - make_interval(secs => $1) order by leased_until limit $2`;
  const { rows } = await deps.database.query<{ task_uid: string; lease_token: string }>({
    name: "list-expired-leases",
    text,
    values: [graceSeconds, most],
  });
  if (rows.length === 0) return [];
  const ends = rows.map(({ task_uid, lease_token }) => ({ uid: task_uid, leaseToken: lease_token, outcome }));
  const finished = await finishTasks(deps, ends, graceSeconds);
  // Omits tasks that were renewed or ended in the meantime.
  return finished.filter(({ accepted }) => accepted);
}
