import { kinds, type Method } from "@cloudwright/contract";
import { tryTransaction, wakeKinds } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { rulesOf } from "../kinds/rules.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { saveEntity, saveEntityIn, type Save } from "../entities/save-entity.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { EntityRef } from "./get-entity.ts";

/** Pauses or resumes all work on an entity. Repeating the call has no effect. */
export async function pauseEntity(deps: ApiDeps, call: Call, method: Method, input: EntityRef): Promise<Answer> {
  const paused = method.verb === "pause";
  const target = await resolveTarget(deps, call, method, input);
  return retryStale(deps, `${target.kind.kind} "${input.name}"`, async () => {
    const row = await requireEntity(deps, call, target, input.name);
    const entity = parseEntity(row.object);
    if ((entity.metadata.paused ?? false) === paused) return { body: row.object, version: row.resource_version };
    const save: Save = {
      row,
      entity: { ...entity, metadata: { ...entity.metadata, paused } },
      environmentUid: row.environment_uid,
      sealed: row.sealed,
      reason: paused ? "Paused" : "Resumed",
      message: paused ? `all work is paused until the ${row.kind} is resumed` : "work has resumed",
    };
    const { pausedProject } = rulesOf(row.kind);
    return pausedProject === undefined
      ? saveEntity(deps, call, method, { ...save, wake: target.kind.provisioned })
      : savePause(deps, call, method, save, pausedProject(row));
  });
}

const withWork = kinds.filter((kind) => kind.provisioned).map((kind) => kind.kind);

/**
 * Saves a project that was paused or resumed, and wakes all entities that this affects. If `project` is undefined, every project is
 * affected.
 */
async function savePause(
  deps: ApiDeps,
  call: Call,
  method: Method,
  save: Save,
  project: string | undefined,
): Promise<Answer | undefined> {
  const answer = await tryTransaction(deps.pool, async (database) => {
    const saved = await saveEntityIn(database, deps, call, method, save);
    if (saved !== undefined) await wakeKinds(database, project, withWork);
    return saved;
  });
  if (answer === undefined) return undefined;
  deps.feed.poke();
  deps.wakes.notify();
  return answer;
}
