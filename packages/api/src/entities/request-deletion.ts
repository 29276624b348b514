import type { EntityJson, Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import {
  hasOtherChildren,
  listOpenOperations,
  tryTransaction,
  updateEntitiesIn,
  wakeEntities,
  type EntityRow,
  type ManyUpdate,
  type OperationInsert,
} from "@cloudwright/store";
import { cancelTasks } from "@cloudwright/tasks";
import { followedBy, type Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { chooseVolumes } from "./choose-volumes.ts";
import { findLinkers } from "./find-links.ts";
import { removeMutualLinks } from "./remove-mutual-links.ts";
import { apiFaults } from "../faults.ts";
import { isEqual, textAt } from "./json-tree.ts";
import { openOperation } from "../operations/open-operation.ts";
import { parseEntity, traceCall, type Deed } from "../calls/trace-call.ts";

/** A request to delete an entity. `subtree` contains the entity and, for a cascading deletion, all its descendants. */
export interface Deletion {
  readonly row: EntityRow;
  readonly subtree: readonly EntityRow[];
  /**
   * Uids of descendants that were already being deleted. They are woken so that a node pool, for example, stops waiting for its cluster.
   */
  readonly goingBelow?: readonly string[];
  /** Leaves behind resources that cannot be deleted. This also affects deletions that are already in progress. */
  readonly force: boolean;
  /** Whether to `retain` or `delete` the volumes of persistent volume claims. If empty, each cluster's own setting applies. */
  readonly volumes?: string;
  /** The message of the event that records the request. By default, it says that a deletion was requested. */
  readonly said?: string | undefined;
}

/** The updates, events, operations and wakes of one request. */
interface Writes {
  readonly updates: ManyUpdate[];
  readonly deeds: Deed[];
  readonly operations: OperationInsert[];
  readonly wakes: string[];
  /** Uids of the entities that this request marks for deletion. */
  readonly marked: string[];
}

/** Cancellation reason of the tasks of an entity that is being deleted. */
const deletionReason = "the entity is being deleted";

/**
 * Marks entities for deletion and creates an operation for each. Their tasks are cancelled, so that the deletion does not wait until a cluster
 * is built or a call to the cloud stops hanging. The reconciler deletes the entities later. An entity that is already marked
 * keeps its running operation, or gets a new one if the last one has ended. Returns undefined if something changed concurrently.
 */
export async function requestDeletion(
  deps: ApiDeps,
  call: Call,
  method: Method,
  { row, subtree, goingBelow = [], force, volumes = "", said }: Deletion,
): Promise<Answer | undefined> {
  const writes: Writes = { updates: [], deeds: [], operations: [], wakes: [...goingBelow], marked: [] };
  const going = subtree.filter((member) => member.deleted_at !== null);
  const open = going.length > 0 ? await findOpenDeletions(deps, going) : new Map<string, EntityRow>();
  for (const member of subtree.toReversed()) {
    if (member.deleted_at === null) await markDeleted(deps, call, member, { force, volumes, said }, writes);
    else if (force) await forceDeletion(deps, call, member, open.get(member.uid), writes);
    else if (!open.has(member.uid)) await retryDeletion(deps, call, member, volumes, writes);
    else requireSameVolumes(member, volumes);
  }
  if (writes.updates.length > 0 && !(await commit(deps, call, method, writes, subtree))) return undefined;
  const update = writes.updates.find((candidate) => candidate.uid === row.uid);
  const { object: body, resourceVersion: version } = update ?? { object: row.object, resourceVersion: row.resource_version };
  return { body, version, ...followedBy(parseEntity(body)) };
}

async function commit(deps: ApiDeps, call: Call, method: Method, writes: Writes, rows: readonly EntityRow[]): Promise<boolean> {
  const { updates, deeds, operations, wakes, marked } = writes;
  const trace = await traceCall(deps, call, method, deeds);
  const written = await tryTransaction(deps.pool, async (database) => {
    if (!(await updateEntitiesIn(database, updates, trace, { operations, wakes: [] }))) return undefined;
    // Lock order: entity, task queue, wake.
    if (marked.length > 0) await cancelTasks(database, { entityUids: marked }, { reason: deletionReason, running: "stop" });
    await wakeEntities(database, wakes);
    await removeMutualLinks(database, rows);
    // Starts over if children were created after the subtree was read, because they would never be deleted.
    if (await hasOtherChildren(database, marked)) return undefined;
    const linkers = await findLinkers(database, rows);
    return linkers.some(({ deleted_at }) => deleted_at === null) ? undefined : true;
  });
  if (written === undefined) return false;
  deps.feed.poke();
  deps.wakes.notify();
  deps.taskSignal.notify();
  return true;
}

async function findOpenDeletions(deps: ApiDeps, going: readonly EntityRow[]): Promise<Map<string, EntityRow>> {
  const uids = going.map((row) => row.uid);
  const open = (await listOpenOperations(deps.pool, uids)).map((row) => ({ row, spec: parseEntity(row.object).spec }));
  const deletions = open.filter(({ spec }) => spec["verb"] === "delete");
  return new Map(deletions.map(({ row, spec }) => [textAt(spec, "entityUid"), row]));
}

async function markDeleted(
  deps: ApiDeps,
  call: Call,
  row: EntityRow,
  { force, volumes, said = "deletion requested" }: Pick<Deletion, "force" | "said"> & { readonly volumes: string },
  writes: Writes,
): Promise<void> {
  const entity = chooseVolumes(row.kind, parseEntity(row.object), volumes);
  const deletedAt = new Date(deps.clock.now()).toISOString();
  writes.marked.push(row.uid);
  await followDeletion(deps, call, row, force, writes, {
    deletedAt,
    message: force ? "deletion requested; resources that cannot be deleted will be left behind" : said,
    entity: asGoing({ ...entity, metadata: { ...entity.metadata, deletedAt } }),
  });
}

/** Resets the status. Otherwise, a failure from an earlier deletion would also fail the parent's deletion. */
function asGoing(entity: EntityJson): EntityJson {
  const status = { phase: "DELETING", message: "deletion accepted; waiting for the reconciler", progressPercent: 0 };
  return { ...entity, status: { ...entity.status, ...status } };
}

/** Retries a failed deletion with a new operation. */
async function retryDeletion(deps: ApiDeps, call: Call, row: EntityRow, volumes: string, writes: Writes): Promise<void> {
  const deletedAt = row.deleted_at?.toISOString() ?? null;
  const message = "deletion will be retried";
  const entity = asGoing(chooseVolumes(row.kind, parseEntity(row.object), volumes));
  await followDeletion(deps, call, row, false, writes, { deletedAt, message, entity });
}

/** Throws if a deletion in progress treats volumes differently, because that deletion may already have removed some volumes. */
function requireSameVolumes(row: EntityRow, volumes: string): void {
  const entity = parseEntity(row.object);
  if (isEqual(chooseVolumes(row.kind, entity, volumes).spec, entity.spec)) return;
  const message = `${row.kind} "${row.name}" is already being deleted with a different choice for its volumes; cancel its operation ${entity.metadata.operation ?? ""} first`;
  throw new Fault(apiFaults.being_deleted, message);
}

/** Makes a deletion in progress leave behind resources that cannot be deleted. If its operation has ended, a new one is created. */
async function forceDeletion(
  deps: ApiDeps,
  call: Call,
  row: EntityRow,
  open: EntityRow | undefined,
  writes: Writes,
): Promise<void> {
  const entity = parseEntity(row.object);
  const message = "resources that cannot be deleted will be left behind";
  const deletedAt = row.deleted_at?.toISOString() ?? null;
  if (open === undefined) {
    await followDeletion(deps, call, row, true, writes, { deletedAt, message, entity: asGoing(entity) });
    return;
  }
  const operation = parseEntity(open.object);
  if (operation.spec["force"] === true) return;
  const forced = { ...operation, spec: { ...operation.spec, force: true } };
  await write(deps, open, { entity: forced, deletedAt: null, message, quiet: true }, writes);
  // Users look at the entity first, so the request is also recorded in the entity's events.
  await write(deps, row, { entity, deletedAt, message }, writes);
  writes.wakes.push(row.uid);
}

interface Change {
  readonly entity: EntityJson;
  readonly deletedAt: string | null;
  readonly message: string;
  readonly quiet?: boolean;
}

async function followDeletion(
  deps: ApiDeps,
  call: Call,
  row: EntityRow,
  force: boolean,
  writes: Writes,
  change: Change,
): Promise<void> {
  const { metadata } = change.entity;
  const { insert, deed } = await openOperation(deps, call, "delete", { ...row, generation: metadata.generation ?? 0 }, { force });
  await write(deps, row, { ...change, entity: { ...change.entity, metadata: { ...metadata, operation: insert.name } } }, writes);
  writes.deeds.push(deed);
  writes.operations.push(insert);
  writes.wakes.push(row.uid);
}

async function write(deps: ApiDeps, row: EntityRow, change: Change, { updates, deeds }: Writes): Promise<void> {
  const { entity, deletedAt, message, quiet = false } = change;
  const version = await deps.versions.next();
  const at = new Date(deps.clock.now()).toISOString();
  const metadata = { ...entity.metadata, resourceVersion: version, updatedAt: at };
  const object = JSON.stringify({ ...entity, metadata });
  updates.push({ uid: row.uid, oldVersion: row.resource_version, resourceVersion: version, at, deletedAt, object });
  deeds.push({ type: "MODIFIED", reason: "DeletionRequested", message, quiet, row, oldLabels: row.labels, version, object });
}
