import { getKind, systemProject, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { countMembers, findSubtree, listWorkedOn, storeFaults, type EntityRow } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { denied, includes, reachOf, requireCaller, type Call } from "../calls/caller.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { removeSubtree } from "../entities/remove-subtree.ts";
import { requestDeletion } from "../entities/request-deletion.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { requireEntity, resolveTarget, type Target } from "../entities/target.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { EntityRef } from "./get-entity.ts";

export interface DeleteInput extends EntityRef {
  readonly cascade: boolean;
  /** Give up on what cannot be removed. */
  readonly force: boolean;
  /** The resourceVersion it must still have; empty for any. */
  readonly resourceVersion: string;
  readonly dryRun: boolean;
}

/**
 * Deletes an entity, with everything below it when asked to cascade. Entities without work behind them go at once; others are marked, and
 * go when the reconciler is done with them.
 */
export async function deleteEntity(deps: ApiDeps, call: Call, method: Method, input: DeleteInput): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, input);
  return retryStale(deps, `${target.kind.kind} "${input.name}"`, async () => {
    const row = await requireEntity(deps, call, target, input.name);
    requireDeletable(row, input);
    const subtree = await findSubtree(deps.pool, row.uid);
    const force = input.force && target.kind.provisioned;
    if (force) requireForce(call, target, input.cascade ? subtree : [row]);
    if (row.deleted_at === null) {
      await requireUnused(deps, target, row, subtree, input);
      requireUnprotected(target, row, subtree);
      const worked = await findWork(deps, subtree);
      if (worked.length > 0 && !target.kind.provisioned) throw hasWork(target, row, worked);
      if (input.dryRun) return { body: row.object, version: row.resource_version };
      if (worked.length === 0) return removeSubtree(deps, call, method, subtree);
    }
    if (input.dryRun) return { body: row.object, version: row.resource_version };
    return requestDeletion(deps, call, method, { row, subtree: input.cascade ? subtree : [row], force });
  });
}

function requireDeletable(row: EntityRow, input: DeleteInput): void {
  if (row.kind === "Project" && row.name === systemProject) {
    throw invalid("the request", [
      { field: "name", message: `the project "${systemProject}" holds the platform's own roles and stays` },
    ]);
  }
  if (input.resourceVersion !== "" && input.resourceVersion !== row.resource_version) {
    throw new Fault(storeFaults.stale, `${row.kind} "${row.name}" has changed since resourceVersion ${input.resourceVersion}`, {
      extra: { resourceVersion: row.resource_version },
    });
  }
}

/** To leave something behind in a cloud asks for more than to delete it. */
function requireForce(call: Call, target: Target, rows: readonly EntityRow[]): void {
  const forcing = { ...target.method, verb: "force the deletion of", role: "admin" } as const;
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
  // What is left of entities that are gone holds nothing.
  const below = subtree.filter((member) => member.uid !== row.uid && member.kind !== "Operation");
  if (below.length > 0 && !input.cascade) {
    throw new Fault(
      apiFaults.has_children,
      `${row.kind} "${row.name}" has ${below.length} below it${nameSome(seenBy(target, below))}`,
    );
  }
  const hidden = below.find((member) => member.project === row.project && !includes(target.reach, member.environment));
  if (hidden !== undefined)
    throw denied(target.method, `in the whole of project "${row.project}", where something below it lies`);
  if (row.kind !== "Environment") return;
  const members = await countMembers(deps.pool, [row.uid]);
  const count = members.reduce((sum, member) => sum + member.count, 0);
  if (count > 0) throw new Fault(storeFaults.in_use, `${count} entities belong to environment "${row.name}"`);
}

function requireUnprotected(target: Target, row: EntityRow, subtree: readonly EntityRow[]): void {
  // Operations are many, and nobody protects them.
  const isProtected = (member: EntityRow): boolean =>
    member.kind !== "Operation" && parseEntity(member.object).metadata.deletionProtection === true;
  const guarded = subtree.filter(isProtected);
  if (guarded.length === 0) return;
  const what = `${row.kind} "${row.name}" is or holds what is protected from deletion`;
  throw new Fault(apiFaults.protected, `${what}${nameSome(seenBy(target, guarded))}`);
}

/** The entities that tasks were ever made for. Asked after they were read: a task that comes later changes what was read. */
async function findWork(deps: ApiDeps, subtree: readonly EntityRow[]): Promise<EntityRow[]> {
  const provisioned = subtree.filter((row) => getKind(row.kind).provisioned);
  if (provisioned.length === 0) return [];
  const worked = await listWorkedOn(deps.pool, provisioned.map(workedOnAs));
  return provisioned.filter((row) => worked.has(workedOnAs(row)));
}

/** The uid that an entity's tasks are made for: a node pool's are its cluster's. */
function workedOnAs(row: EntityRow): string {
  return row.kind === "NodePool" ? (row.parent_uid ?? row.uid) : row.uid;
}

function hasWork(target: Target, row: EntityRow, worked: readonly EntityRow[]): Fault {
  const what = `${row.kind} "${row.name}" holds ${worked.length} with work behind them`;
  return new Fault(apiFaults.has_work, `${what}${nameSome(seenBy(target, worked))}`);
}

function seenBy(target: Target, rows: readonly EntityRow[]): EntityRow[] {
  return rows.filter((row) => includes(target.reach, row.environment));
}

function nameSome(rows: readonly EntityRow[]): string {
  const names = rows.slice(0, 5).map((row) => `${row.kind} "${row.name}"`);
  if (names.length === 0) return "";
  return rows.length > 5 ? `: ${names.join(", ")} and ${rows.length - 5} more` : `: ${names.join(", ")}`;
}
