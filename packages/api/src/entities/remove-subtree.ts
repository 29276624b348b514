import { getKind, type Method } from "@cloudwright/contract";
import {
  listOpenOperations,
  removeEntitiesIn,
  tryTransaction,
  updateEntitiesIn,
  wakeEntities,
  type EntityRow,
  type ManyUpdate,
} from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { findLinked, findLinkers } from "./find-links.ts";
import { parseEntity, traceCall, type Deed } from "../calls/trace-call.ts";

/**
 * Removes an entity and all its descendants. The change log lists children before their parents. Operations that have not started are
 * cancelled. Returns undefined if something changed concurrently.
 */
export async function removeSubtree(
  deps: ApiDeps,
  call: Call,
  method: Method,
  subtree: readonly EntityRow[],
): Promise<Answer | undefined> {
  const [root] = subtree;
  if (root === undefined) return undefined;
  const ended = await endOperations(deps, subtree);
  const deeds: Deed[] = [];
  for (const row of subtree.toReversed()) {
    const version = await deps.versions.next();
    const { object, labels, kind } = row;
    const said = { reason: "Deleted", message: `${kind} deleted`, quiet: getKind(kind).isRecord === true };
    deeds.push({ type: "DELETED", ...said, row, oldLabels: labels, version, object });
  }
  const trace = await traceCall(deps, call, method, [...deeds, ...ended.map((end) => end.deed)]);
  const { provisioned, parent } = getKind(root.kind);
  const above = provisioned && parent !== undefined && root.parent_uid !== null ? [root.parent_uid] : [];
  const waiting = [...above, ...(await findLinked(deps.pool, subtree))];
  const removed = await tryTransaction(deps.pool, async (database) => {
    if ((await findLinkers(database, subtree)).length > 0 || !(await removeEntitiesIn(database, subtree, trace)))
      return undefined;
    const ends = ended.map((end) => end.update);
    if (ends.length > 0 && !(await updateEntitiesIn(database, ends, silence, { operations: [], wakes: [] }))) return undefined;
    // The parent and linked entities may be waiting for this deletion. The parent's runs may also have to remove the deleted entity.
    if (waiting.length > 0) await wakeEntities(database, waiting);
    return true;
  });
  if (removed === undefined) return undefined;
  deps.feed.poke();
  if (waiting.length > 0) deps.wakes.notify();
  return { body: root.object, version: root.resource_version };
}

const silence = { changes: [], events: [], audits: [] };

/**
 * Cancels the operations of entities that are deleted before any work has started. Operations in the subtree are skipped because they
 * are deleted too.
 */
async function endOperations(
  deps: ApiDeps,
  subtree: readonly EntityRow[],
): Promise<{ readonly update: ManyUpdate; readonly deed: Deed }[]> {
  const provisioned = subtree.filter((row) => getKind(row.kind).provisioned).map((row) => row.uid);
  if (provisioned.length === 0) return [];
  const going = new Set(subtree.map((row) => row.uid));
  const open = await listOpenOperations(deps.pool, provisioned);
  const ended: { update: ManyUpdate; deed: Deed }[] = [];
  for (const row of open.filter((operation) => !going.has(operation.uid))) {
    const { metadata, spec, status } = parseEntity(row.object);
    const version = await deps.versions.next();
    const at = new Date(deps.clock.now()).toISOString();
    const message = "deleted before any work started";
    const object = JSON.stringify({
      metadata: { ...metadata, resourceVersion: version, updatedAt: at },
      spec,
      status: { ...status, state: "CANCELLED", message, endedAt: at },
    });
    ended.push({
      update: { uid: row.uid, oldVersion: row.resource_version, resourceVersion: version, at, deletedAt: null, object },
      deed: { type: "MODIFIED", reason: "Cancelled", message, quiet: true, row, oldLabels: row.labels, version, object },
    });
  }
  return ended;
}
