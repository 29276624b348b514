import type { Operation } from "@cloudwright/contract";
import type { Answer } from "../answer.ts";
import type { Call } from "../caller.ts";
import type { ApiDeps } from "../deps.ts";
import { retryStale } from "../retry-stale.ts";
import { saveEntity } from "../save-entity.ts";
import { requireEntity, resolveTarget } from "../target.ts";
import { parseEntity } from "../trace-call.ts";
import type { EntityRef } from "./get-entity.ts";

/** Stops all work on an entity, or lets it go on. Asking twice changes nothing. */
export async function pauseEntity(deps: ApiDeps, call: Call, operation: Operation, input: EntityRef): Promise<Answer> {
  const paused = operation.verb === "pause";
  const target = await resolveTarget(deps, call, operation, input);
  return retryStale(deps, `${target.kind.kind} "${input.name}"`, async () => {
    const row = await requireEntity(deps, call, target, input.name);
    const entity = parseEntity(row.object);
    if (entity.metadata.paused === paused) return { body: row.object, version: row.resource_version };
    return saveEntity(deps, call, operation, {
      row,
      entity: { ...entity, metadata: { ...entity.metadata, paused } },
      environmentUid: row.environment_uid,
      sealed: row.sealed,
      reason: paused ? "Paused" : "Resumed",
      message: paused ? "all work is stopped until it is resumed" : "work goes on",
    });
  });
}
