import { getKind, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { findSubtree, listWorkedOn, storeFaults, type EntityRow, type Linker } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { denied, includes, reachOf, requireCaller, type Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { rulesOf } from "../kinds/rules.ts";
import { findLinkers } from "../entities/find-links.ts";
import { previewDeletion } from "../entities/preview-deletion.ts";
import { refuseNotCreatedHere } from "../entities/refuse-not-created-here.ts";
import { removeSubtree } from "../entities/remove-subtree.ts";
import { requestDeletion } from "../entities/request-deletion.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { requireEntity, resolveTarget, type Target } from "../entities/target.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { EntityRef } from "./get-entity.ts";

export interface DeleteInput extends EntityRef {
  readonly cascade: boolean;
  /** If true, resources that cannot be deleted are left behind. */
  readonly force: boolean;
  /** The resourceVersion that the entity must have. An empty string accepts any version. */
  readonly resourceVersion: string;
  readonly dryRun: boolean;
  /** Whether to `retain` or `delete` the volumes of persistent volume claims. If empty, the cluster's own setting applies. */
  readonly volumes?: string;
  /** If true, nothing is deleted. Instead, an operation lists what would be deleted. */
  readonly preview?: boolean;
}

/**
 * Deletes an entity and, with `cascade`, all its descendants. Entities that have never had a task are removed immediately. Others are
 * marked for deletion, and the reconciler removes them once their cloud resources have been deleted.
 */
export async function deleteEntity(deps: ApiDeps, call: Call, method: Method, input: DeleteInput): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, input);
  return retryStale(deps, `${target.kind.kind} "${input.name}"`, async () => {
    const row = await requireEntity(deps, call, target, input.name);
    requireDeletable(row, input);
    const { volumes = "" } = input;
    requireChoices(target, input);
    const subtree = await findSubtree(deps.pool, row.uid);
    refuseNotCreatedHere(row, subtree);
    const { force } = input;
    if (force) requireForce(call, target, input.cascade ? subtree : [row]);
    if (row.deleted_at === null) {
      await requireUnused(deps, target, row, subtree, input);
      requireUnprotected(target, row, subtree);
      const linkers = await findLinkers(deps.pool, subtree);
      requireUnlinked(target, row, linkers);
      const worked = await findWork(deps, subtree);
      if (worked.length > 0 && !target.kind.provisioned) throw hasWork(target, row, worked);
      if (input.preview === true) return previewDeletion(deps, call, method, row, volumes);
      if (input.dryRun) return { body: row.object, version: row.resource_version };
      // If entities that link to this entity are still being deleted, the reconciler waits for them before it removes this entity.
      if (worked.length === 0 && linkers.length === 0) return removeSubtree(deps, call, method, subtree);
    }
    // An entity that is already being deleted has nothing to preview.
    if (input.dryRun || input.preview === true) return { body: row.object, version: row.resource_version };
    const goingBelow =
      row.deleted_at === null ? subtree.filter((member) => member.deleted_at !== null).map(({ uid }) => uid) : [];
    return requestDeletion(deps, call, method, { row, subtree: input.cascade ? subtree : [row], goingBelow, force, volumes });
  });
}

function requireChoices({ kind }: Target, { volumes = "", preview = false, force }: DeleteInput): void {
  if (!["", "retain", "delete"].includes(volumes))
    throw invalid("the request", [{ field: "volumes", message: "must be retain or delete" }]);
  if (!kind.provisioned)
    for (const [field, isSet] of Object.entries({ force, volumes: volumes !== "" }))
      if (isSet) throw invalid("the request", [{ field, message: `is not supported for ${kind.kind}` }]);
  if (preview && kind.hasRemovalPreview !== true)
    throw invalid("the request", [{ field: "preview", message: `is not supported for ${kind.kind}` }]);
}

function requireDeletable(row: EntityRow, input: DeleteInput): void {
  rulesOf(row.kind).requireDeletable?.(row);
  if (input.resourceVersion !== "" && input.resourceVersion !== row.resource_version) {
    throw new Fault(storeFaults.stale, `${row.kind} "${row.name}" has changed since resourceVersion ${input.resourceVersion}`, {
      extra: { resourceVersion: row.resource_version },
    });
  }
}

/** Throws unless the caller has the admin role, because a forced deletion may leave resources behind in the cloud. */
function requireForce(call: Call, target: Target, rows: readonly EntityRow[]): void {
  const forcing = { ...target.method, verb: "forced deletion of", role: "admin" } as const;
  const reach = reachOf(requireCaller(call), target.project, forcing.role);
  if (reach === undefined) throw denied(forcing, `in project "${target.project}"`);
  const beyond = rows.find((row) => !includes(reach, row.environment));
  if (beyond !== undefined) throw denied(forcing, `in environment "${beyond.environment}"`);
}

async function requireUnused(
  deps: ApiDeps,
  target: Target,
  row: EntityRow,
  subtree: readonly EntityRow[],
  input: DeleteInput,
): Promise<void> {
  const below = subtree.filter((member) => member.uid !== row.uid && !isRecord(member));
  if (below.length > 0 && !input.cascade) {
    throw new Fault(
      apiFaults.has_children,
      `${row.kind} "${row.name}" has ${countEntities(below)} below it${nameSome(seenBy(target, below))}`,
    );
  }
  requireReach(target, row, below);
  await rulesOf(row.kind).requireUnused?.(deps, row);
}

/** Throws if there are entities below the given one in environments that the caller may not change. */
export function requireReach(target: Target, row: EntityRow, below: readonly EntityRow[]): void {
  const hidden = below.find((member) => member.project === row.project && !includes(target.reach, member.environment));
  if (hidden !== undefined)
    throw denied(
      target.method,
      `in the entire project "${row.project}", because there are entities in other environments below it`,
    );
}

/**
 * Returns whether an entity is a record, such as an operation. Records do not prevent the deletion of their owner and cannot be protected
 * from deletion.
 */
function isRecord({ kind }: EntityRow): boolean {
  return getKind(kind).isRecord === true;
}

/** Throws if the entity is referenced by entities that are not being deleted. */
function requireUnlinked(target: Target, row: EntityRow, linkers: readonly Linker[]): void {
  const staying = linkers.filter(({ deleted_at }) => deleted_at === null || !target.kind.provisioned);
  if (staying.length === 0) return;
  const what = `${row.kind} "${row.name}" is referenced by ${countEntities(staying)}`;
  throw new Fault(storeFaults.in_use, `${what}${nameSome(seenBy(target, staying))}`);
}

export function requireUnprotected(target: Target, row: EntityRow, subtree: readonly EntityRow[]): void {
  const isProtected = (member: EntityRow): boolean =>
    !isRecord(member) && parseEntity(member.object).metadata.deletionProtection === true;
  const guarded = subtree.filter(isProtected);
  if (guarded.length === 0) return;
  const what = `${row.kind} "${row.name}", or an entity below it, is protected from deletion`;
  throw new Fault(apiFaults.protected, `${what}${nameSome(seenBy(target, guarded))}`);
}

/** Returns the entities that have or had tasks. A task created later changes its entity's version, so a stale result is detected. */
export async function findWork(deps: ApiDeps, subtree: readonly EntityRow[]): Promise<EntityRow[]> {
  const provisioned = subtree.filter((row) => getKind(row.kind).provisioned);
  if (provisioned.length === 0) return [];
  const worked = await listWorkedOn(deps.pool, provisioned.map(workedOnAs));
  return provisioned.filter((row) => worked.has(workedOnAs(row)));
}

/** Returns the uid of the entity whose tasks build the given one: its owner if the owner's runs build it, otherwise the entity itself. */
function workedOnAs(row: EntityRow): string {
  return getKind(row.kind).builtByOwnerAs === undefined ? row.uid : (row.parent_uid ?? row.uid);
}

function hasWork(target: Target, row: EntityRow, worked: readonly EntityRow[]): Fault {
  const what = `${row.kind} "${row.name}" contains ${countEntities(worked)} with resources in a cloud`;
  return new Fault(apiFaults.has_work, `${what}${nameSome(seenBy(target, worked))}`);
}

function seenBy<Row extends Pick<EntityRow, "environment">>(target: Target, rows: readonly Row[]): Row[] {
  return rows.filter((row) => includes(target.reach, row.environment));
}

function countEntities({ length }: readonly unknown[]): string {
  return length === 1 ? "1 entity" : `${length} entities`;
}

function nameSome(rows: readonly Pick<EntityRow, "kind" | "name">[]): string {
  const names = rows.slice(0, 5).map((row) => `${row.kind} "${row.name}"`);
  if (names.length === 0) return "";
  return rows.length > 5 ? `: ${names.join(", ")} and ${rows.length - 5} more` : `: ${names.join(", ")}`;
}
