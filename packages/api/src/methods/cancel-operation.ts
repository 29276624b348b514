import type { Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { tryTransaction, wakeEntities } from "@cloudwright/store";
import { cancelTasks } from "@cloudwright/tasks";
import type { Answer } from "../calls/answer.ts";
import { requireCaller, type Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { textAt } from "../entities/json-tree.ts";
import { isOpen } from "../operations/open-operation.ts";
import { findSubject } from "../operations/operation-subject.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { saveEntityIn } from "../entities/save-entity.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { EntityRef } from "./get-entity.ts";

/**
 * Requests cancellation of an operation. Tasks that have not started are cancelled, and agents are asked to stop tasks that are in
 * progress. Repeating the call has no effect.
 */
export async function cancelOperation(deps: ApiDeps, call: Call, method: Method, input: EntityRef): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, input);
  const reason = `cancelled by ${requireCaller(call).user}`;
  return retryStale(deps, `Operation "${input.name}"`, async () => {
    const row = await requireEntity(deps, call, target, input.name);
    const entity = parseEntity(row.object);
    const { project, name } = row;
    if (!isOpen(entity)) {
      const state = textAt(entity.status, "state");
      throw new Fault(apiFaults.operation_ended, `Operation "${name}" is ${state}; there is nothing to cancel`);
    }
    await findSubject(deps.pool, target, row, entity.spec);
    if (textAt(entity.spec, "cancelReason") !== "")
      return { body: row.object, version: row.resource_version, operation: { project, name } };
    const answer = await tryTransaction(deps.pool, async (database) => {
      const saved = await saveEntityIn(database, deps, call, method, {
        row,
        entity: { ...entity, spec: { ...entity.spec, cancelReason: reason } },
        environmentUid: row.environment_uid,
        sealed: row.sealed,
        reason: "CancelRequested",
        message: reason,
      });
      if (saved === undefined) return undefined;
      // Lock order: entity, task queue, wake. All of the entity's tasks are cancelled, because a task of a superseded operation would delay
      // every later task.
      const entityUid = textAt(entity.spec, "entityUid");
      await cancelTasks(database, { entityUids: [entityUid] }, { reason, running: "stop" });
      await wakeEntities(database, [entityUid]);
      return saved;
    });
    if (answer === undefined) return undefined;
    deps.feed.poke();
    deps.wakes.notify();
    deps.taskSignal.notify();
    return { ...answer, operation: { project, name } };
  });
}
