import { reapTasks, type LeasedTask, type TaskOutcome } from "@cloudwright/tasks";
import { done, failed, succeed, type TestHouse } from "./test-house.ts";

/** One thing that happens to a house; numbers choose among what there is. */
export type Happening =
  | { readonly do: "create"; readonly kind: "Account" | "Network" | "Cluster" | "NodePool" | "Storage"; readonly at: number }
  | { readonly do: "update" | "remove" | "force" | "pause" | "resume" | "cancel" | "retry"; readonly at: number }
  | { readonly do: "settle" | "lease" | "crash" | "restart" }
  | { readonly do: "end"; readonly at: number; readonly how: "done" | "failed" | "again" | "cancelled" };

const above: Readonly<Record<string, string | undefined>> = {
  Network: "Account",
  Cluster: "Network",
  NodePool: "Cluster",
  Storage: "Cluster",
};
const outcomes: Readonly<Record<string, (task: LeasedTask) => TaskOutcome>> = {
  done: (task) => succeed(task) ?? done(),
  failed: () => failed("broken", ["thing-1: in use"]),
  again: () => ({ state: "failed", fault: { code: "test.flaky", message: "try again", retry: "backoff" } }),
  cancelled: () => ({ state: "cancelled", message: "stopped" }),
};

/** Plays happenings on a house and says what must hold after each of them. */
export function createHouseModel(house: TestHouse): {
  play(happening: Happening): Promise<void>;
  findBroken(): Promise<string[]>;
  finish(): Promise<string[]>;
} {
  let held: LeasedTask[] = [];
  let count = 0;

  const list = async (kind?: string): Promise<{ uid: string; kind: string; deleted: boolean; state: string | null }[]> =>
    house.query(
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
    await house.create(kind, `${kind.toLowerCase()}-${count}`, parent === undefined ? {} : { parent: parent.uid });
  };
  const act = async (
    what: Exclude<Happening["do"], "create" | "settle" | "lease" | "crash" | "restart" | "end">,
    at: number,
  ): Promise<void> => {
    const entity = pick(await list(), at);
    if (entity === undefined) return;
    const open = entity.state === "WAITING" || entity.state === "RUNNING";
    if (what === "update" && !entity.deleted)
      await house.update(entity.uid, { ...(await house.get(entity.uid)).spec, change: at });
    if (what === "remove") await house.remove(entity.uid);
    if (what === "force" && entity.deleted) await house.remove(entity.uid, { force: true });
    if (what === "pause" || what === "resume") await house.pause(entity.uid, what === "pause");
    if (what === "cancel" && open) await house.cancel(entity.uid);
    if (what === "retry" && (entity.state === "FAILED" || entity.state === "CANCELLED")) await house.retry(entity.uid);
  };
  const lease = async (): Promise<void> => {
    held = [...held, ...(await house.work(() => undefined))];
  };
  const end = async (at: number, how: string): Promise<void> => {
    const task = pick(held, at);
    if (task === undefined) return;
    held = held.filter((other) => other !== task);
    await house.end(task, outcomes[how]?.(task) ?? done());
  };
  const crash = async (): Promise<void> => {
    held = [];
    await house.query("update task_line set leased_until = clock_timestamp() - interval '1 hour' where lease_token is not null");
    await reapTasks({ database: house.pool, random: () => 0 }, 1);
    await house.query("update task_line set delayed_until = clock_timestamp() where delayed_until is not null");
  };

  const findBroken = async (): Promise<string[]> => {
    const checks: Readonly<Record<string, string>> = {
      "a task is open for an entity that is gone": `select uid from task t where ended is null and not exists (select from entity e where e.uid = t.entity_uid)
        and not exists (select from task_line l where l.task_uid = t.uid and l.lease_token is not null)`,
      "an entity is looked after by nobody": `select uid from entity e where kind not in ('Project', 'Operation') and not exists (select from due d where d.entity_uid = e.uid)`,
      "a task began before an earlier one had ended": `select t.uid from task_state t join task_state earlier on earlier.entity_uid = t.entity_uid and earlier.position < t.position
        where t.state = 'leased' and earlier.state in ('waiting', 'ready', 'leased')`,
      "a phase is none of the contract's": `select uid from entity where kind not in ('Project', 'Operation') and object -> 'status' ->> 'phase' not in
        ('PENDING', 'PROVISIONING', 'RUNNING', 'UPDATING', 'UPGRADING', 'REPAIRING', 'DEGRADED', 'FAILED', 'DELETING')`,
      "an entity is to go and does not say so": `select uid from entity where kind not in ('Project', 'Operation') and deleted_at is not null
        and object -> 'status' ->> 'phase' not in ('DELETING', 'FAILED')`,
      "something is said to run that nothing was built for": `select e.uid from entity e where kind in ('Network', 'Cluster', 'Storage') and object -> 'status' ->> 'phase' = 'RUNNING'
        and not exists (select from task t where t.entity_uid = e.uid and t.ended = 'done')`,
      "a child lies in something that is gone": `select e.uid from entity e where kind not in ('Project', 'Operation') and not exists (select from entity p where p.uid = e.parent_uid)`,
    };
    const broken = await Promise.all(
      Object.entries(checks).map(async ([what, text]) => ((await house.query(text)).length > 0 ? [what] : [])),
    );
    return broken.flat();
  };

  /** Everything is resumed and goes well from now on; then everything must be as it was asked for, or gone. */
  const finish = async (): Promise<string[]> => {
    for (const { uid } of await list()) await house.pause(uid, false);
    for (let round = 0; round < 20; round += 1) {
      await crash();
      await house.run();
      const stuck = (await list()).filter(({ state }) => state === "FAILED" || state === "CANCELLED");
      if (stuck.length === 0) break;
      for (const { uid } of stuck) await house.retry(uid);
    }
    const unfinished = await house.query<{ kind: string; phase: string; object: unknown }>(
      `select kind, object -> 'status' ->> 'phase' as phase from entity where kind not in ('Project', 'Operation')
        and (deleted_at is not null or object -> 'status' ->> 'phase' <> 'RUNNING')`,
    );
    const open = await house.query<{ state: string }>(
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
          return house.settle();
        case "lease":
          return lease();
        case "crash":
          return crash();
        case "restart":
          return house.wakeAll();
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
