import { systemProject, type Operation } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { countMembers, findSubtree, removeEntities, storeFaults, type EntityRow } from "@cloudwright/store";
import type { Answer } from "../answer.ts";
import { denied, includes, type Call } from "../caller.ts";
import { invalid } from "../decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { retryStale } from "../retry-stale.ts";
import { requireEntity, resolveTarget, type Target } from "../target.ts";
import { traceCall, type Deed } from "../trace-call.ts";
import type { EntityRef } from "./get-entity.ts";

export interface DeleteInput extends EntityRef {
  readonly cascade: boolean;
  /** The resourceVersion it must still have; empty for any. */
  readonly resourceVersion: string;
  readonly dryRun: boolean;
}

/** Deletes an entity, with everything below it when asked to cascade. Entities without work behind them go at once. */
export async function deleteEntity(deps: ApiDeps, call: Call, operation: Operation, input: DeleteInput): Promise<Answer> {
  const target = await resolveTarget(deps, call, operation, input);
  return retryStale(deps, `${target.kind.kind} "${input.name}"`, async () => {
    const row = await requireEntity(deps, call, target, input.name);
    requireDeletable(row, input);
    const subtree = await findSubtree(deps.pool, row.uid);
    await requireUnused(deps, target, row, subtree, input);
    if (input.dryRun) return { body: row.object, version: row.resource_version };
    return (await removeSubtree(deps, call, operation, subtree))
      ? { body: row.object, version: row.resource_version }
      : undefined;
  });
}

/** Removes an entity and what is below it, children first in the change log; false when something changed meanwhile. */
async function removeSubtree(deps: ApiDeps, call: Call, operation: Operation, subtree: readonly EntityRow[]): Promise<boolean> {
  const deeds: Deed[] = [];
  for (const row of subtree.toReversed()) {
    const version = await deps.versions.next();
    deeds.push({
      type: "DELETED",
      reason: "Deleted",
      message: `${row.kind} deleted`,
      row,
      oldLabels: row.labels,
      version,
      object: row.object,
    });
  }
  const removed = await removeEntities(deps.pool, subtree, await traceCall(deps, call, operation, deeds));
  if (removed) deps.feed.poke();
  return removed;
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

async function requireUnused(
  deps: ApiDeps,
  target: Target,
  row: EntityRow,
  subtree: readonly EntityRow[],
  input: DeleteInput,
): Promise<void> {
  const below = subtree.filter((member) => member.uid !== row.uid);
  if (below.length > 0 && !input.cascade) {
    const seen = below.filter((member) => includes(target.reach, member.environment));
    throw new Fault(apiFaults.has_children, `${row.kind} "${row.name}" has ${below.length} below it${nameSome(seen)}`);
  }
  const hidden = below.find((member) => member.project === row.project && !includes(target.reach, member.environment));
  if (hidden !== undefined)
    throw denied(target.operation, `in the whole of project "${row.project}", where something below it lies`);
  if (row.kind !== "Environment") return;
  const members = await countMembers(deps.pool, [row.uid]);
  const count = members.reduce((sum, member) => sum + member.count, 0);
  if (count > 0) throw new Fault(storeFaults.in_use, `${count} entities belong to environment "${row.name}"`);
}

function nameSome(rows: readonly EntityRow[]): string {
  const names = rows.slice(0, 5).map((row) => `${row.kind} "${row.name}"`);
  if (names.length === 0) return "";
  return rows.length > 5 ? `: ${names.join(", ")} and ${rows.length - 5} more` : `: ${names.join(", ")}`;
}
