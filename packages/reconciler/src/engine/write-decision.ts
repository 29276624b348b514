import { getKind, nameOperation, renderNewOperation } from "@cloudwright/contract";
import { createUid, type Clock } from "@cloudwright/platform";
import {
  changeDrift,
  deleteForgotten,
  endDrift,
  forgetDue,
  openDrift,
  removeEntitiesIn,
  settleDues,
  tryTransaction,
  undoForgotten,
  updateEntitiesIn,
  wakeAround,
  type Database,
  type DueEntity,
  type DueSettlement,
  type ManyUpdate,
  type OperationInsert,
  type Pool,
  type Trace,
  type Versions,
} from "@cloudwright/store";
import { cancelTasks, enqueueTasks, type TaskInsert } from "@cloudwright/tasks";
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
  /** Kinds that have a lifecycle. */
  readonly kinds: readonly string[];
  readonly rules: Rules;
  /** Whether any kind can link to other entities. If not, SQL statements skip links. */
  readonly hasLinks: boolean;
}

/** The data and the decision for one entity's pass. */
export interface Pass {
  readonly due: DueEntity;
  readonly scope: Scope;
  readonly decision: Decision;
}

/** Effects of a write, for notifying watchers and agents. */
export interface Written {
  /** Whether the write changed anything that watchers can see. */
  readonly changed: boolean;
  readonly enqueued: boolean;
  readonly woke: boolean;
  /** False if one of the entities was woken in the meantime and is due again. */
  readonly quiet: boolean;
}

/**
 * Writes decisions in one transaction: statuses, operations, events, tasks and the time of the next pass. If an entity or operation has
 * changed since it was read, writes nothing and returns undefined. The caller must then decide again.
 */
export async function writeDecisions(deps: WriteDeps, passes: readonly Pass[]): Promise<Written | undefined> {
  const plans = await Promise.all(passes.map((pass) => planWrites(deps, pass)));
  const tasks = plans.flatMap((plan) => plan.tasks);
  const settle = (database: Database): Promise<boolean> => settleDues(database, listSettlements(passes));
  // If nothing has changed, only schedule the next passes.
  if (plans.every(isIdle)) return { changed: false, enqueued: false, woke: false, quiet: await settle(deps.pool) };
  return tryTransaction(deps.pool, async (database) => {
    if (!(await saveEntities(database, plans))) return undefined;
    for (const { scope, decision } of passes) {
      if (!(await takeBack(database, scope, decision))) return undefined;
      await writeDrift(database, scope, decision.drift);
      await writeForgotten(database, scope, decision.forgotten);
    }
    const enqueued = await enqueueTasks(database, tasks);
    const woke = await wakeRelatives(deps, database, passes);
    const gone = passes.filter(({ decision }) => decision.remove).map(({ due }) => due.uid);
    if (gone.length > 0) await forgetDue(database, gone);
    return { changed: true, enqueued: enqueued.length > 0, woke, quiet: await settle(database) };
  });
}

function listSettlements(passes: readonly Pass[]): DueSettlement[] {
  return passes
    .filter(({ decision }) => !decision.remove)
    .map(({ due, decision }) => ({ due, afterSeconds: decision.recheckAfterMs / 1000 }));
}

async function wakeRelatives(deps: WriteDeps, database: Database, passes: readonly Pass[]): Promise<boolean> {
  const heard = passes.filter(({ decision }) => decision.wakeAround || decision.remove);
  if (heard.length === 0) return false;
  const around = {
    uids: heard.map(({ due }) => due.uid),
    referencedUids: heard.flatMap(({ scope }) => listHearers(scope)),
    held: passes.map(({ due }) => due.uid),
  };
  await wakeAround(database, around, deps);
  return true;
}

/**
 * Returns the entities that may be waiting for this one: the owner that builds it and, during deletion, everything it references. Waking
 * all references every time would lock a network's row at each step of each of its clusters.
 */
function listHearers({ entity, links }: Scope): string[] {
  const isDeleted = entity.object.metadata.deletedAt !== undefined;
  const isPart = getKind(entity.kind).builtByOwnerAs !== undefined;
  const owner = (isPart || isDeleted) && entity.parentUid !== null ? [entity.parentUid] : [];
  return isDeleted ? [...owner, ...links.map(({ uid }) => uid)] : owner;
}

/** The entity updates and new tasks of one pass. */
interface PlannedWrites {
  readonly pass: Pass;
  readonly updates: readonly ManyUpdate[];
  readonly inserts: readonly OperationInsert[];
  readonly trace: Trace;
  readonly tasks: readonly TaskInsert[];
}

function isIdle({ pass: { decision }, updates, tasks }: PlannedWrites): boolean {
  return updates.length === 0 && !decision.remove && tasks.length === 0 && decision.takeBack.length === 0;
}

async function planWrites(deps: WriteDeps, pass: Pass): Promise<PlannedWrites> {
  const { scope, decision } = pass;
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
  const tasks = decision.tasks.map((wish) => renderTask(scope, wish, createUid(deps.clock.now()), deps.rules));
  return { pass, updates, inserts, trace, tasks };
}

/** Writes all entities in one statement, then removes the deleted ones. Returns false if one has changed since it was read. */
async function saveEntities(database: Database, plans: readonly PlannedWrites[]): Promise<boolean> {
  const updates = plans.flatMap((plan) => plan.updates);
  const written = new Set(updates.map(({ uid }) => uid));
  const isRemoved = ({ pass }: PlannedWrites): boolean => pass.decision.remove;
  const traces = plans.map((plan) => (isRemoved(plan) ? pickChanges(plan.trace, ({ uid }) => written.has(uid)) : plan.trace));
  const work = { operations: plans.flatMap((plan) => plan.inserts), wakes: [] };
  if (updates.length > 0 && !(await updateEntitiesIn(database, updates, joinTraces(traces), work))) return false;
  for (const { pass, trace } of plans.filter(isRemoved)) {
    const { uid, version } = pass.scope.entity;
    // The removal writes the events, but not the changes to the entity's operations, which the update above has already written.
    const own = { ...trace, changes: trace.changes.filter((change) => !written.has(change.uid)) };
    if (!(await removeEntitiesIn(database, [{ uid, resource_version: version }], own))) return false;
  }
  return true;
}

function pickChanges(trace: Trace, isPicked: (change: Trace["changes"][number]) => boolean): Trace {
  return { changes: trace.changes.filter(isPicked), events: [], audits: [] };
}

function joinTraces(traces: readonly Trace[]): Trace {
  return {
    changes: traces.flatMap(({ changes }) => changes),
    events: traces.flatMap(({ events }) => events),
    audits: traces.flatMap(({ audits }) => audits),
  };
}

async function writeDrift(database: Database, scope: Scope, wish: Decision["drift"]): Promise<void> {
  if (wish === undefined) return;
  // Uses the time of the pass, as operations do, so that the timestamps of drift reports and operations can be compared.
  const at = new Date(scope.nowMs).toISOString();
  if (wish.do === "open") await openDrift(database, { ...wish, entityUid: scope.entity.uid, at });
  else if (wish.do === "change") await changeDrift(database, wish);
  else await endDrift(database, wish);
}

async function writeForgotten(database: Database, { entity }: Scope, wish: Decision["forgotten"]): Promise<void> {
  if (wish?.do === "adopted") await deleteForgotten(database, entity.uid, wish);
  else if (wish?.do === "undo") await undoForgotten(database, wish.operationUid);
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
 * Cancels tasks that no agent has started. If the entity is removed, running tasks are cancelled too, so that none is retried. Returns
 * false if a task has started in the meantime, because the decision must then be made again.
 */
async function takeBack(database: Database, { entity }: Scope, { takeBack: uids, remove }: Decision): Promise<boolean> {
  if (!remove && uids.length === 0) return true;
  const concerned = remove
    ? await cancelTasks(database, { entityUids: [entity.uid] }, { reason: takenBack, running: "stop" })
    : await cancelTasks(database, { uids }, { reason: takenBack, running: "leave" });
  return uids.every((uid) => concerned.some((task) => task.uid === uid && task.state === "cancelled"));
}
