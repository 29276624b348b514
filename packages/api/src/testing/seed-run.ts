import type { JsonObject } from "@cloudwright/contract";
import { createUid } from "@cloudwright/platform";
import { enqueueTasks, type TaskInsert } from "@cloudwright/tasks";
import { sealContent } from "../states/state-content.ts";
import type { TestApi } from "./test-api.ts";

/** Options for a seeded run. By default, the run requires approval. */
export interface SeededRun {
  readonly needsApproval?: boolean;
  /** Default: the serial of the newest state version. */
  readonly serial?: number;
  readonly counts?: JsonObject;
  readonly expiresInSeconds?: number;
  /** If false, no plan is stored. */
  readonly hasPlan?: boolean;
  readonly task?: Partial<TaskInsert>;
}

/** Seeds a finished planning task for the entity's newest operation, with its plan. The entity must have a state. Returns the run's uid. */
export async function seedRun(api: TestApi, entityUid: string, given: SeededRun = {}): Promise<string> {
  const uid = await seedTask(api, entityUid, { type: "network.plan", ...given.task });
  await endTask(api, uid);
  if (given.hasPlan === false) return uid;
  const { needsApproval = true, serial = null, counts = { create: 1 }, expiresInSeconds = 3600 } = given;
  const findings = [{ rule: "no-loss", severity: "must", message: "would be replaced", path: "aws_vpc.main", fix: "" }];
  const changes = { changes: [{ address: "aws_vpc.main", resourceType: "aws_vpc", action: "create" }], drift: [] };
  const parcel = Buffer.from("parcel");
  const { sealed, content } = await sealContent(api.deps.keyRing, uid, parcel);
  const text = `insert into plan (uid, entity_uid, serial, lineage, counts, changes, findings, needs_approval, expires_at, size, sealed, content)
    select $1, s.entity_uid, coalesce($3, v.serial, 0), coalesce(v.lineage, ''), $4, $5, $6, $7, clock_timestamp() + make_interval(secs => $8), $9, $10, $11
    from state s left join state_version v on v.entity_uid = s.entity_uid and v.version = s.version where s.entity_uid = $2`;
  const texts = [counts, changes, needsApproval ? findings : []].map((value) => JSON.stringify(value));
  const values = [uid, entityUid, serial, ...texts, needsApproval, expiresInSeconds, parcel.length, sealed, content];
  await api.pool.query({ text, values });
  return uid;
}

/** Seeds a task for an entity's newest operation. Returns the task's uid. */
export async function seedTask(api: TestApi, entityUid: string, part: Partial<TaskInsert>): Promise<string> {
  const text = `select e.project, e.kind, e.name, o.uid as operation from entity e
    left join entity o on o.kind = 'Operation' and o.project = e.project and o.name = e.object -> 'metadata' ->> 'operation' where e.uid = $1`;
  const { rows } = await api.pool.query<Record<string, string>>({ text, values: [entityUid] });
  const { project = "", kind = "", name = "", operation = null } = rows[0] ?? {};
  const uid = createUid(api.deps.clock.now());
  const subject = { project, entityUid, entityKind: kind, entityName: name, operationUid: operation, accountUid: null };
  const work = {
    type: "network.apply",
    lane: "long",
    placement: {},
    priority: 0,
    payload: {},
    payloadVersion: 1,
    maxAttempts: 3,
  } as const;
  await enqueueTasks(api.pool, [{ ...subject, ...work, uid, key: uid, ...part }]);
  return uid;
}

/** Ends a task as its agent would, but without a lease. */
export async function endTask(api: TestApi, uid: string, state = "done", outcome: object = {}): Promise<void> {
  await api.pool.query({ text: "delete from task_line where task_uid = $1", values: [uid] });
  const text = "update task set ended = $2, outcome = $3, attempt = 1, ended_at = clock_timestamp() where uid = $1";
  await api.pool.query({ text, values: [uid, state, JSON.stringify(outcome)] });
}

/** Marks an entity as built, as the reconciler does after its first successful run. */
export async function markBuilt(api: TestApi, entityUid: string): Promise<void> {
  const text = `update entity set object = jsonb_set(jsonb_set(object::jsonb, '{status,observedGeneration}', '1'), '{status,phase}', '"RUNNING"')::json
    where uid = $1`;
  await api.pool.query({ text, values: [entityUid] });
}

/** Seeds an open drift report for an entity and closes any earlier one. Returns the report's uid. */
export async function seedDrift(api: TestApi, entityUid: string, items: readonly object[] = [drifted]): Promise<string> {
  const end = "update drift set ended_at = clock_timestamp(), ended_as = 'gone' where entity_uid = $1 and ended_at is null";
  await api.pool.query({ text: end, values: [entityUid] });
  const uid = createUid(api.deps.clock.now());
  const text = "insert into drift (uid, entity_uid, task_uid, items, ignored) values ($1, $2, $1, $3, 2)";
  await api.pool.query({ text, values: [uid, entityUid, JSON.stringify(items)] });
  return uid;
}

const drifted = { address: "aws_vpc.main", resourceType: "aws_vpc", action: "update", paths: ["tags", "enable_dns_support"] };
