import type { TestQueue } from "./test-queue.ts";

/**
 * Returns entities whose queue is inconsistent. The head must be the oldest open task, and every queue must contain an open task. `ready`
 * must be true exactly when the head is neither leased nor delayed.
 */
export async function findBrokenLines(queue: TestQueue): Promise<unknown[]> {
  return queue.query(`select entity_uid, open.first, l.position, l.ready, l.lease_token, l.delayed_until
    from (select entity_uid, min(position) as first from task where ended is null group by entity_uid) open full join task_line l using (entity_uid)
    where open.first is distinct from l.position or l.ready is distinct from (l.lease_token is null and l.delayed_until is null)
      or l.task_uid is distinct from (select t.uid from task t where t.position = l.position)`);
}
