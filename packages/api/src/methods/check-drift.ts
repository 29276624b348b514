import { getKind, kinds, type EntityJson, type Kind, type Method } from "@cloudwright/contract";
import { Fault, isUid } from "@cloudwright/platform";
import { findDrift, findEntity, listOpenOperations, type EntityRow } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { requirePlaced, type PlacedRef } from "../entities/require-placed.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { saveEntity } from "../entities/save-entity.ts";
import { apiFaults } from "../faults.ts";
import { openOperation } from "../operations/open-operation.ts";

/**
 * Starts an operation that compares an entity's cloud resources with what was applied. If a check of the entity is already queued or in
 * progress, returns its operation instead of queuing another check.
 */
export async function checkDrift(deps: ApiDeps, call: Call, method: Method, input: PlacedRef): Promise<Answer> {
  return retryStale(deps, `Drift "${input.name}"`, async () => {
    const row = await requirePlaced(deps, call, method, { ...input, kind: "Drift" }, () => findChecked(deps, input));
    const entity = parseEntity(row.object);
    requireCheckable(row, entity);
    const waiting = (await listOpenOperations(deps.pool, [row.uid])).find(({ object }) => isCheck(parseEntity(object)));
    if (waiting !== undefined) return answer(row, waiting.name, waiting.object, waiting.resource_version);
    const opened = await openOperation(deps, call, "check", { ...row, generation: entity.metadata.generation ?? 0 });
    const saved = await saveEntity(deps, call, method, {
      row,
      entity,
      environmentUid: row.environment_uid,
      sealed: row.sealed,
      opened,
      isBeside: true,
      reason: "DriftCheckRequested",
      message: "a drift check was requested",
    });
    if (saved === undefined) return undefined;
    return answer(row, opened.insert.name, opened.insert.object, opened.insert.resourceVersion);
  });
}

function answer({ project }: EntityRow, name: string, body: string, version: string): Answer {
  return { body, version, operation: { project, name } };
}

function isCheck({ spec }: EntityJson): boolean {
  return spec["verb"] === "check" && spec["cancelReason"] === "";
}

/** Finds the entity by its own uid or by the uid of one of its drift reports. */
async function findChecked({ pool }: Pick<ApiDeps, "pool">, { project, name }: PlacedRef): Promise<EntityRow | undefined> {
  if (!isUid(name)) return undefined;
  const uid = (await findDrift(pool, project, name))?.entityUid ?? name;
  for (const { kind } of provisioned) {
    const row = await findEntity(pool, { kind, project, namingScope: "", ref: uid });
    if (row !== undefined) return row;
  }
  return undefined;
}

const provisioned = (kinds as readonly Kind[]).filter((kind) => kind.hasDriftChecks === true);

/** Throws if there is nothing to compare: the entity is being deleted or was never built. */
function requireCheckable({ kind, name, deleted_at: deletedAt }: EntityRow, { status }: EntityJson): void {
  const what = `${getKind(kind).kind} "${name}"`;
  if (deletedAt !== null) throw new Fault(apiFaults.being_deleted, `${what} is being deleted`);
  if (Number(status["observedGeneration"] ?? 0) > 0) return;
  throw new Fault(apiFaults.drift_nothing_built, `${what} has not been built yet, so it cannot be checked for drift`);
}
