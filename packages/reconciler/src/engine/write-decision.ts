import { nameOperation, renderNewOperation } from "@cloudwright/contract";
import { createUid, type Clock } from "@cloudwright/platform";
import {
  changeDrift,
  endDrift,
  forgetDue,
  openDrift,
  removeEntitiesIn,
  settleDue,
  tryTransaction,
  updateEntitiesIn,
  wakeAround,
  type Database,
  type DueEntity,
  type ManyUpdate,
  type OperationInsert,
  type Pool,
  type Versions,
} from "@cloudwright/store";
import { cancelTasks, enqueueTasks } from "@cloudwright/tasks";
import { takenBack } from "../steps/run-task.ts";
import { fingerprintAnnotation } from "./decide.ts";
import type { Decision } from "./decision.ts";
import type { Rules } from "./step.ts";
import { platformActor, renderTrace, type Changed } from "./render-trace.ts";
import { renderTask } from "./render-task.ts";
import type { Scope, ScopeOperation } from "./scope.ts";

export interface WriteDeps {
  readonly pool: Pool;
  readonly versions: Versions;
  readonly clock: Clock;
  /** Kinds that the reconciler looks after. */
  readonly kinds: readonly string[];
  readonly rules: Rules;
}

/** What a write did: who waits for tasks or for wakes must be told. */
export interface Written {
  /** Something that watchers may want to know. */
  readonly changed: boolean;
  readonly enqueued: boolean;
  readonly woke: boolean;
  /** False: somebody woke the entity meanwhile, and it is due again. */
  readonly quiet: boolean;
}

/**
 * Writes a decision in one transaction: status, operations, event, tasks and when to look again. Undefined when the entity or an operation
 * is not as it was read: then nothing is written, and the decision has to be made anew.
 */
export async function writeDecision(
  deps: WriteDeps,
  scope: Scope,
  decision: Decision,
  due: DueEntity,
): Promise<Written | undefined> {
  const plan = await planWrites(deps, scope, decision);
  const tasks = decision.tasks.map((wish) => renderTask(scope, wish, createUid(deps.clock.now()), deps.rules));
  // Whoever only looked writes when to look again, and nothing else.
  if (!plan.writes && tasks.length === 0 && decision.takeBack.length === 0) {
    return {
      changed: false,
      enqueued: false,
      woke: false,
      quiet: await settleDue(deps.pool, due, decision.recheckAfterMs / 1000),
    };
  }
  return tryTransaction(deps.pool, async (database) => {
    if (!(await plan.save(database))) return undefined;
    if (!(await takeBack(database, scope, decision))) return undefined;
    await writeDrift(database, scope, decision.drift);
    const enqueued = await enqueueTasks(database, tasks);
    const woke = decision.wakeAround || decision.remove;
    if (woke) await wakeAround(database, scope.entity.uid, findHearer(scope), deps.kinds);
    if (decision.remove) {
      await forgetDue(database, [scope.entity.uid]);
      return { changed: true, enqueued: enqueued.length > 0, woke, quiet: true };
    }
    const quiet = await settleDue(database, due, decision.recheckAfterMs / 1000);
    return { changed: true, enqueued: enqueued.length > 0, woke, quiet };
  });
}

/**
 * The parent, where it waits for this one: a cluster carries its node pools, and what is to go goes after what lies in it. Else a network
 * would be woken, and its row waited for, at every step of each of its clusters.
 */
function findHearer({ entity }: Scope): string | null {
  return entity.kind === "NodePool" || entity.object.metadata.deletedAt !== undefined ? entity.parentUid : null;
}

interface PlannedWrites {
  readonly writes: boolean;
  save(database: Database): Promise<boolean>;
}

async function planWrites(deps: WriteDeps, scope: Scope, decision: Decision): Promise<PlannedWrites> {
  const { entity, nowMs } = scope;
  const at = new Date(nowMs).toISOString();
  const next = (): Promise<string> => deps.versions.next();
  const updates: ManyUpdate[] = [];
  const changed: Changed[] = [];
  const inserts: OperationInsert[] = [];
  const opened = decision.opens === undefined ? undefined : renderOpened(scope, decision.opens, await next(), at);
  const statusChanged = JSON.stringify(decision.status) !== JSON.stringify(entity.object.status);
  const mustLock = decision.tasks.length > 0 || decision.takeBack.length > 0 || decision.drift !== undefined;
  if (decision.remove) {
    changed.push({ type: "DELETED", row: entity, version: await next(), object: JSON.stringify(entity.object) });
  } else if (statusChanged || opened !== undefined || mustLock) {
    const version = await next();
    const operation = opened?.insert.name ?? entity.object.metadata.operation;
    const metadata = {
      ...entity.object.metadata,
      resourceVersion: version,
      updatedAt: at,
      ...(operation === undefined ? {} : { operation }),
    };
    const object = JSON.stringify({ ...entity.object, metadata, status: decision.status });
    const deletedAt = metadata.deletedAt ?? null;
    updates.push({ uid: entity.uid, oldVersion: entity.version, resourceVersion: version, at, deletedAt, object });
    changed.push({ type: "MODIFIED", row: entity, version, object });
  }
  for (const { operation, status, fingerprint } of decision.operations) {
    const write = renderOperationWrite(operation, status, fingerprint);
    if (write === undefined) continue;
    const version = await next();
    const object = JSON.stringify({ ...write, metadata: { ...write.metadata, resourceVersion: version, updatedAt: at } });
    updates.push({ uid: operation.uid, oldVersion: operation.version, resourceVersion: version, at, deletedAt: null, object });
    changed.push({ type: "MODIFIED", row: rowOf(scope, operation), version, object });
  }
  if (opened !== undefined) {
    inserts.push(opened.insert);
    changed.push(opened.changed);
  }
  const trace = await renderTrace(next, entity, changed, decision.event, nowMs);
  const work = { operations: inserts, wakes: [] };
  return {
    writes: updates.length > 0 || decision.remove,
    async save(database) {
      if (!decision.remove) return updates.length === 0 || updateEntitiesIn(database, updates, trace, work);
      // The trace goes with the removal; the operations' own changes with them.
      const own = { ...trace, changes: trace.changes.filter(({ uid }) => !updates.some((update) => update.uid === uid)) };
      const theirs = {
        changes: trace.changes.filter(({ uid }) => updates.some((update) => update.uid === uid)),
        events: [],
        audits: [],
      };
      if (updates.length > 0 && !(await updateEntitiesIn(database, updates, theirs, work))) return false;
      return removeEntitiesIn(database, [{ uid: entity.uid, resource_version: entity.version }], own);
    },
  };
}

async function writeDrift(database: Database, scope: Scope, wish: Decision["drift"]): Promise<void> {
  if (wish === undefined) return;
  // By the time of the pass, as operations are: what comes later is later.
  const at = new Date(scope.nowMs).toISOString();
  if (wish.do === "open") await openDrift(database, { ...wish, entityUid: scope.entity.uid, at });
  else if (wish.do === "change") await changeDrift(database, wish);
  else await endDrift(database, wish);
}

function renderOperationWrite(
  operation: ScopeOperation,
  status: ScopeOperation["object"]["status"],
  fingerprint: string | undefined,
): ScopeOperation["object"] | undefined {
  const { object } = operation;
  const annotations =
    fingerprint === undefined
      ? object.metadata.annotations
      : { ...object.metadata.annotations, [fingerprintAnnotation]: fingerprint };
  const next = { ...object, metadata: { ...object.metadata, ...(annotations === undefined ? {} : { annotations }) }, status };
  return JSON.stringify(next) === JSON.stringify(object) ? undefined : next;
}

function renderOpened(
  { entity }: Scope,
  { uid, verb, force, message }: NonNullable<Decision["opens"]>,
  version: string,
  at: string,
): { insert: OperationInsert; changed: Changed } {
  const { project, environment } = entity;
  const name = nameOperation(uid);
  const subject = { ...entity, generation: entity.object.metadata.generation ?? 0 };
  const object = renderNewOperation({ uid, verb, at, resourceVersion: version, actor: platformActor, force, message, subject });
  const row = { uid, kind: "Operation", project, parentUid: null, environment, labels: {} };
  return {
    insert: { uid, project, name, environment, resourceVersion: version, at, object },
    changed: { type: "ADDED", row, version, object },
  };
}

function rowOf({ entity }: Scope, { uid, environment, parentUid }: ScopeOperation): Changed["row"] {
  return { uid, kind: "Operation", project: entity.project, parentUid, environment, labels: {} };
}

/**
 * Takes back what nobody has begun. An entity that is to go leaves no work behind: what somebody began meanwhile has to be decided on anew,
 * and what is known to run is asked to stop, so that nobody tries it again for an entity that is gone.
 */
async function takeBack(database: Database, { entity }: Scope, { takeBack: uids, remove }: Decision): Promise<boolean> {
  if (remove) {
    const concerned = await cancelTasks(database, { entityUids: [entity.uid] }, { reason: takenBack, running: "stop" });
    return uids.every((uid) => concerned.some((task) => task.uid === uid && task.state === "cancelled"));
  }
  if (uids.length > 0) await cancelTasks(database, { uids }, { reason: takenBack, running: "leave" });
  return true;
}
