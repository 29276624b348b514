import type { JsonObject, Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { lockEntities, tryTransaction, wakeEntities, type Database, type EntityRow } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { getAt, setAt, textAt } from "../entities/json-tree.ts";
import { findSubject } from "../operations/operation-subject.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { saveEntityIn } from "../entities/save-entity.ts";
import { requireEntity, resolveTarget, type Target } from "../entities/target.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { EntityRef } from "./get-entity.ts";

/** Retries a failed or cancelled operation, unless it has been superseded by a newer one. */
export async function retryOperation(deps: ApiDeps, call: Call, method: Method, input: EntityRef): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, input);
  return retryStale(deps, `Operation "${input.name}"`, async () => {
    const row = await requireEntity(deps, call, target, input.name);
    const { metadata, spec, status } = parseEntity(row.object);
    const { project, name } = row;
    const state = textAt(status, "state");
    if (state !== "FAILED" && state !== "CANCELLED")
      throw new Fault(
        apiFaults.not_retryable,
        `Operation "${name}" is ${state}; only failed or cancelled operations can be retried`,
      );
    const retries = Number(getAt(spec, ["retries"]) ?? 0) + 1;
    const waiting = {
      ...setAt(status, ["endedAt"], undefined),
      state: "WAITING",
      message: `retry ${retries} requested`,
      code: "",
    };
    const answer = await tryTransaction(deps.pool, async (database) => {
      // The row lock prevents a concurrent request from superseding the operation.
      await lockEntities(database, [textAt(spec, "entityUid")]);
      await requireNewest(database, target, row, spec);
      const saved = await saveEntityIn(database, deps, call, method, {
        row,
        entity: { metadata, spec: { ...spec, retries, cancelReason: "" }, status: waiting },
        environmentUid: row.environment_uid,
        sealed: row.sealed,
        reason: "RetryRequested",
        message: waiting.message,
      });
      if (saved !== undefined) await wakeEntities(database, [textAt(spec, "entityUid")]);
      return saved;
    });
    if (answer === undefined) return undefined;
    deps.feed.poke();
    deps.wakes.notify();
    return { ...answer, operation: { project, name } };
  });
}

async function requireNewest(database: Database, target: Target, row: EntityRow, spec: JsonObject): Promise<void> {
  const found = await findSubject(database, target, row, spec);
  const what = `${textAt(spec, "entityKind")} "${textAt(spec, "entityName")}"`;
  if (found === undefined)
    throw new Fault(apiFaults.not_retryable, `Operation "${row.name}" cannot be retried: ${what} was deleted`);
  const newest = parseEntity(found.object).metadata.operation ?? "";
  if (newest !== row.name)
    throw new Fault(
      apiFaults.not_retryable,
      `Operation "${row.name}" cannot be retried: "${newest}" is a newer operation on ${what}`,
    );
}
