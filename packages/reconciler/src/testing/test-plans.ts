import { createUid, systemClock } from "@cloudwright/platform";
import type { Pool } from "@cloudwright/store";
import type { LeasedTask, TaskOutcome } from "@cloudwright/tasks";

/** Simulates what the state endpoint, an agent with Terraform, and users do with stored plans. */
export interface TestPlans {
  /** Stores a plan for the current state and returns the plan task's outcome. */
  save(
    task: LeasedTask,
    options?: { needsApproval?: boolean; findings?: object[]; counts?: object; drift?: object[] },
  ): Promise<TaskOutcome>;
  /** Claims the plan for an apply task. Returns undefined if the plan can no longer be applied. */
  take(task: LeasedTask): Promise<string | undefined>;
  /** Claims the plan, writes the next state version, and returns the given outcome. */
  apply(task: LeasedTask, outcome: TaskOutcome): Promise<TaskOutcome>;
  approve(uid: string): Promise<void>;
  discard(uid: string): Promise<void>;
  expire(uid: string): Promise<void>;
  /** Writes the next version of an entity's state. */
  writeState(entityUid: string): Promise<void>;
  /** Lists an entity's plans, oldest first. */
  list(
    entityUid: string,
  ): Promise<{ uid: string; approved_by: string | null; discarded_by: string | null; taken_by: string | null }[]>;
}

/** Outcome of an apply whose plan was already claimed. */
export const planGone: TaskOutcome = {
  state: "failed",
  fault: { code: "deployer.plan_gone", message: "the plan was already taken", retry: "never" },
};

export function createTestPlans(pool: Pool): TestPlans {
  const query = async <Row extends object>(text: string, values: unknown[]): Promise<Row[]> =>
    (await pool.query({ text, values })).rows as Row[];
  const wake = (uid: string): Promise<unknown> =>
    query("select wake_entities(array(select entity_uid from plan where uid = $1), now())", [uid]);
  const openState = (entityUid: string): Promise<unknown> =>
    query(
      `insert into state (entity_uid, project_uid, kind, name, environment)
        select $1, uid, '', '', '' from entity where kind = 'Project' and name = 'default' on conflict do nothing`,
      [entityUid],
    );
  const writeState = async (entityUid: string): Promise<void> => {
    await openState(entityUid);
    await query(
      `with written as (update state set version = version + 1 where entity_uid = $1 returning *)
        insert into state_version (uid, entity_uid, version, serial, lineage, md5, size, resources, actor)
        select $2, w.entity_uid, w.version, w.version, 'lineage', '', 0, 0, 'tester' from written w`,
      [entityUid, createUid(systemClock.now())],
    );
    await query("select wake_entities(array[$1::uuid], now())", [entityUid]);
  };
  const take: TestPlans["take"] = async (task) => {
    const { plan } = task.payload as { plan?: string };
    const rows = await query<{ uid: string }>(
      `update plan set taken_by = $2, taken_at = now() where uid = $1 and taken_by is null and discarded_by is null
        and (approved_by is not null or not needs_approval) returning uid`,
      [plan, task.uid],
    );
    return rows[0]?.uid;
  };
  return {
    writeState,
    take,
    async save(task, { needsApproval = false, findings = [], counts = { create: 1 }, drift = [] } = {}) {
      await openState(task.entityUid);
      await query(
        `insert into plan (uid, entity_uid, serial, lineage, counts, changes, findings, needs_approval, expires_at, size)
          select $1, $2, coalesce(v.serial, 0), coalesce(v.lineage, ''), $3, $6, $4, $5, now() + interval '1 day', 0
          from state s left join state_version v on v.entity_uid = s.entity_uid and v.version = s.version where s.entity_uid = $2
          on conflict do nothing`,
        [task.uid, task.entityUid, JSON.stringify(counts), JSON.stringify(findings), needsApproval, JSON.stringify({ drift })],
      );
      return { state: "done", result: { plan: task.uid } };
    },
    async apply(task, outcome) {
      if ((await take(task)) === undefined) return planGone;
      await writeState(task.entityUid);
      return outcome;
    },
    async approve(uid) {
      await query(
        `update plan set approved_by = 'boss', approved_at = now() where uid = $1 and needs_approval and discarded_by is null and taken_by is null
          and expires_at > now()`,
        [uid],
      );
      await wake(uid);
    },
    async discard(uid) {
      await query("update plan set discarded_by = 'boss', discarded_at = now() where uid = $1 and taken_by is null", [uid]);
      await wake(uid);
    },
    async expire(uid) {
      await query("update plan set expires_at = now() - interval '1 hour' where uid = $1", [uid]);
      await wake(uid);
    },
    list: (entityUid) =>
      query("select uid, approved_by, discarded_by, taken_by from plan where entity_uid = $1 order by uid", [entityUid]),
  };
}
