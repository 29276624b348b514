import { hasAction, taskTypesOf } from "@cloudwright/contract";
import { renderTypeList } from "@cloudwright/store";
import { reapTasks, type LeasedTask, type TaskOutcome } from "@cloudwright/tasks";
import { done, failed, outputs, type TestPlatform } from "./test-platform.ts";

const applyTypes = renderTypeList(taskTypesOf("apply"));

/** A random event. Numbers select an existing entity. */
export type Happening =
  | { readonly do: "create"; readonly kind: "Account" | "Network" | "Cluster" | "NodePool" | "Storage"; readonly at: number }
  | { readonly do: "update" | "remove" | "force" | "pause" | "resume" | "cancel" | "retry"; readonly at: number }
  | { readonly do: "approve" | "discard" | "expire" | "outdate" | "take" | "progress"; readonly at: number }
  | { readonly do: "settle" | "lease" | "crash" | "restart" | "build" | "die" }
  | { readonly do: "end"; readonly at: number; readonly how: "done" | "failed" | "again" | "cancelled" };

const above: Readonly<Record<string, string | undefined>> = {
  Network: "Account",
  Cluster: "Network",
  NodePool: "Cluster",
  Storage: "Cluster",
};
const outcomes: Readonly<Record<string, (task: LeasedTask) => TaskOutcome>> = {
  done: ({ type }) => done(outputs[type] ?? {}),
  failed: () => failed("broken", ["thing-1: in use"]),
  again: () => ({ state: "failed", fault: { code: "test.flaky", message: "try again", retry: "backoff" } }),
  cancelled: () => ({ state: "cancelled", message: "stopped" }),
};

/** Applies random events to a platform and checks the invariants after each one. */
export function createPlatformModel(platform: TestPlatform): {
  play(happening: Happening): Promise<void>;
  findBroken(): Promise<string[]>;
  finish(): Promise<string[]>;
} {
  let held: LeasedTask[] = [];
  /** Task attempts that have claimed their plan. */
  const taken = new Set<string>();
  let count = 0;

  const list = async (kind?: string): Promise<{ uid: string; kind: string; deleted: boolean; state: string | null }[]> =>
    platform.query(
      `select e.uid, e.kind, e.deleted_at is not null as deleted, (select o.object -> 'status' ->> 'state' from entity o
        where o.kind = 'Operation' and o.name = e.object -> 'metadata' ->> 'operation') as state
      from entity e where e.kind not in ('Project', 'Operation') and ($1::text is null or e.kind = $1) order by e.uid`,
      [kind ?? null],
    );
  const pick = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % Math.max(items.length, 1)];
  const create = async (kind: string, at: number): Promise<void> => {
    const parentKind = above[kind];
    const parent =
      parentKind === undefined
        ? undefined
        : pick(
            (await list(parentKind)).filter(({ deleted }) => !deleted),
            at,
          );
    if (parentKind !== undefined && parent === undefined) return;
    count += 1;
    await platform.create(kind, `${kind.toLowerCase()}-${count}`, parent === undefined ? {} : { parent: parent.uid });
  };
  const act = async (
    what: "update" | "remove" | "force" | "pause" | "resume" | "cancel" | "retry",
    at: number,
  ): Promise<void> => {
    const entity = pick(await list(), at);
    if (entity === undefined) return;
    const open = entity.state === "WAITING" || entity.state === "RUNNING";
    if (what === "update" && !entity.deleted)
      await platform.update(entity.uid, { ...(await platform.get(entity.uid)).spec, change: at });
    if (what === "remove") await platform.remove(entity.uid);
    if (what === "force" && entity.deleted) await platform.remove(entity.uid, { force: true });
    if (what === "pause" || what === "resume") await platform.pause(entity.uid, what === "pause");
    if (what === "cancel" && open) await platform.cancel(entity.uid);
    if (what === "retry" && (entity.state === "FAILED" || entity.state === "CANCELLED")) await platform.retry(entity.uid);
  };
  const lease = async (): Promise<void> => {
    held = [...held, ...(await platform.work(() => undefined))];
  };
  const end = async (at: number, how: string): Promise<void> => {
    const task = pick(held, at);
    if (task === undefined) return;
    held = held.filter((other) => other !== task);
    const outcome = outcomes[how]?.(task) ?? done();
    await platform.end(task, how === "done" ? await workOn(task, at % 2 === 0) : outcome);
  };
  /** A fake agent with Terraform. It stores plans, some of which require approval, and applies each one once. */
  const workOn = async (task: LeasedTask, needsApproval: boolean): Promise<TaskOutcome> => {
    const outcome = outcomes["done"]?.(task) ?? done();
    if (hasAction(task.type, "plan")) return platform.plans.save(task, { needsApproval });
    if (!hasAction(task.type, "apply")) return outcome;
    if (!taken.has(`${task.uid} ${task.attempt}`)) return platform.plans.apply(task, outcome);
    await platform.plans.writeState(task.entityUid);
    return outcome;
  };
  /** Lets tasks succeed for a while, so that random histories reach the apply tasks. */
  const progress = async (at: number): Promise<void> => {
    await platform.settle();
    await lease();
    for (let nth = at; held.length > 0; nth += 1) await end(nth * held.length, "done");
    await platform.settle();
  };
  const take = async (at: number): Promise<void> => {
    const applies = held.filter(({ type }) => hasAction(type, "apply"));
    const task = pick(applies, at);
    if (task !== undefined && (await platform.plans.take(task)) !== undefined) taken.add(`${task.uid} ${task.attempt}`);
  };
  const listAwaited = (): Promise<{ uid: string; entity_uid: string }[]> =>
    platform.query(
      "select uid, entity_uid from plan where needs_approval and approved_by is null and discarded_by is null and taken_by is null order by uid desc",
    );
  const judge = async (what: "approve" | "discard" | "expire" | "outdate", at: number): Promise<void> => {
    const plan = pick(await listAwaited(), at);
    if (plan === undefined) return;
    // Terraform's lock prevents other writes to the state during a run.
    const runs = held.some(({ entityUid, type }) => entityUid === plan.entity_uid && hasAction(type, "apply"));
    if (what !== "outdate") await platform.plans[what](plan.uid);
    else if (!runs) await platform.plans.writeState(plan.entity_uid);
  };
  const crash = async (): Promise<void> => {
    held = [];
    await platform.query(
      "update task_line set leased_until = clock_timestamp() - interval '1 hour' where lease_token is not null",
    );
    await reapTasks({ database: platform.pool, random: () => 0 }, 1);
    await platform.query("update task_line set delayed_until = clock_timestamp() where delayed_until is not null");
  };

  /** Simulates agents that die after claiming plans. */
  const die = async (): Promise<void> => {
    await platform.settle();
    await lease();
    for (const task of held) if (hasAction(task.type, "apply")) await platform.plans.take(task);
    await crash();
  };

  const findBroken = async (): Promise<string[]> => {
    const checks: Readonly<Record<string, string>> = {
      "an open task belongs to a deleted entity": `select uid from task t where ended is null and not exists (select from entity e where e.uid = t.entity_uid)
        and not exists (select from task_line l where l.task_uid = t.uid and l.lease_token is not null)`,
      "an entity has no scheduled pass": `select uid from entity e where kind not in ('Project', 'Operation') and not exists (select from due d where d.entity_uid = e.uid)`,
      "a task started before an earlier one had ended": `select t.uid from task_state t join task_state earlier on earlier.entity_uid = t.entity_uid and earlier.position < t.position
        where t.state = 'leased' and earlier.state in ('waiting', 'ready', 'leased')`,
      "a phase is not in the contract": `select uid from entity where kind not in ('Project', 'Operation') and object -> 'status' ->> 'phase' not in
        ('PENDING', 'PROVISIONING', 'RUNNING', 'UPDATING', 'UPGRADING', 'REPAIRING', 'DEGRADED', 'FAILED', 'DELETING')`,
      "a deleted entity is in neither DELETING nor FAILED": `select uid from entity where kind not in ('Project', 'Operation') and deleted_at is not null
        and object -> 'status' ->> 'phase' not in ('DELETING', 'FAILED')`,
      "an entity is RUNNING although nothing was built": `select e.uid from entity e where kind in ('Network', 'Cluster', 'Storage') and object -> 'status' ->> 'phase' = 'RUNNING'
        and not exists (select from task t where t.entity_uid = e.uid and t.ended = 'done')`,
      "a plan without the required approval has an apply task": `select t.uid from task t join plan p on p.uid::text = t.object -> 'payload' ->> 'plan'
        where p.needs_approval and p.approved_by is null`,
      "a discarded plan has an apply task": `select t.uid from task t join plan p on p.uid::text = t.object -> 'payload' ->> 'plan'
        where t.created_at > p.discarded_at`,
      "a run succeeded without taking its plan": `select t.uid from task t left join plan p on p.uid::text = t.object -> 'payload' ->> 'plan'
        join task_demand d on d.id = t.demand where d.type in ${applyTypes} and t.ended = 'done' and p.taken_by is distinct from t.uid`,
      "one plan was applied by two runs": `select t.object -> 'payload' ->> 'plan' from task_state t join task_demand d on d.id = t.demand
        where d.type in ${applyTypes} and t.attempt > 0 group by 1 having count(*) filter (where t.state = 'done') > 1`,
      "a task is open although the operation waits for approval": `select e.uid from entity e join task_state t on t.entity_uid = e.uid and t.state in ('waiting', 'ready', 'leased')
        join entity o on o.uid = t.operation_uid and o.name = e.object -> 'metadata' ->> 'operation'
        where (e.object -> 'status' -> 'conditions')::jsonb @> '[{"type": "ApprovalNeeded", "status": "True"}]'`,
      "an entity's owner no longer exists": `select e.uid from entity e where kind not in ('Project', 'Operation') and not exists (select from entity p where p.uid = e.parent_uid)`,
    };
    const broken = await Promise.all(
      Object.entries(checks).map(async ([what, text]) => ((await platform.query(text)).length > 0 ? [what] : [])),
    );
    return broken.flat();
  };

  /** Resumes everything and lets every task succeed. Afterwards, every entity must match its spec or be deleted. */
  const finish = async (): Promise<string[]> => {
    for (const { uid } of await list()) await platform.pause(uid, false);
    for (let round = 0; round < 20; round += 1) {
      await crash();
      // An interrupted run is repeated after a pause, which the model skips.
      await platform.query("update task set ended_at = ended_at - interval '1 hour' where ended = 'failed'");
      await platform.query("update due set due_at = clock_timestamp() where due_at > clock_timestamp()");
      await platform.run((task) => workOn(task, false));
      const awaited = await listAwaited();
      for (const { uid } of awaited) await platform.plans.approve(uid);
      await platform.run((task) => workOn(task, false));
      const stuck = (await list()).filter(({ state }) => state === "FAILED" || state === "CANCELLED");
      if (stuck.length === 0) break;
      for (const { uid } of stuck) await platform.retry(uid);
    }
    const unfinished = await platform.query<{ kind: string; phase: string; object: unknown }>(
      `select kind, object -> 'status' ->> 'phase' as phase from entity where kind not in ('Project', 'Operation')
        and (deleted_at is not null or object -> 'status' ->> 'phase' <> 'RUNNING')`,
    );
    const open = await platform.query<{ state: string }>(
      "select object -> 'status' ->> 'state' as state from entity where kind = 'Operation' and object -> 'status' ->> 'state' in ('WAITING', 'RUNNING')",
    );
    return [
      ...(await findBroken()),
      ...unfinished.map(({ kind, phase }) => `${kind} ended as ${phase}`),
      ...open.map(({ state }) => `an operation is left ${state}`),
    ];
  };

  return {
    async play(happening) {
      switch (happening.do) {
        case "create":
          return create(happening.kind, happening.at);
        case "settle":
          return platform.settle();
        case "lease":
          return lease();
        case "crash":
          return crash();
        case "restart":
          return platform.wakeAll();
        case "build":
          return void (await platform.run((task) => workOn(task, false)));
        case "die":
          return die();
        case "progress":
          return progress(happening.at);
        case "take":
          return take(happening.at);
        case "approve":
        case "discard":
        case "expire":
        case "outdate":
          return judge(happening.do, happening.at);
        case "end":
          return end(happening.at, happening.how);
        default:
          return act(happening.do, happening.at);
      }
    },
    findBroken,
    finish,
  };
}
