import type { Operation } from "@cloudwright/contract";
import type { Answer } from "../answer.ts";
import type { Call } from "../caller.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { openOperation } from "../open-operation.ts";
import { retryStale } from "../retry-stale.ts";
import { saveEntity } from "../save-entity.ts";
import { findEntityIn, notFound, resolveTarget } from "../target.ts";
import { parseEntity } from "../trace-call.ts";
import { updateEntityOperation, type UpdateInput } from "./update-entity.ts";
import { Fault } from "@cloudwright/platform";

/** Checks a change as an update would, and opens an operation beside the entity's own that plans it and never applies it. */
export async function previewCluster(deps: ApiDeps, call: Call, operation: Operation, input: UpdateInput): Promise<Answer> {
  const checked = { ...input, dryRun: true, allowMissing: false };
  const { spec: candidate } = parseEntity((await updateEntityOperation(deps, call, operation, checked)).body);
  const target = await resolveTarget(deps, call, operation, input);
  return retryStale(deps, `${target.kind.kind} "${input.name}"`, async () => {
    const row = await findEntityIn(deps, call, target, input.name);
    if (row === undefined) throw notFound(target.kind.kind, input.name);
    if (row.deleted_at !== null) throw new Fault(apiFaults.being_deleted, `${row.kind} "${row.name}" is being deleted`);
    const entity = parseEntity(row.object);
    const subject = { ...row, generation: entity.metadata.generation ?? 0 };
    const opened = await openOperation(deps, call, "preview", subject, { candidate });
    const saved = await saveEntity(deps, call, operation, {
      row,
      entity,
      environmentUid: row.environment_uid,
      sealed: row.sealed,
      opened,
      isBeside: true,
      reason: "PreviewRequested",
      message: "a change is looked at, and not made",
    });
    if (saved === undefined) return undefined;
    const { name, object, resourceVersion } = opened.insert;
    return { body: object, version: resourceVersion, operation: { project: row.project, name } };
  });
}
