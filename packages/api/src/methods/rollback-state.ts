import type { Method } from "@cloudwright/contract";
import type { RollbackStateRequest } from "@cloudwright/contract/gen/cloudwright/v1/state_pb.ts";
import { createUid } from "@cloudwright/platform";
import { tryTransaction, wakeEntities, writeStateVersion, type StateRow, type StateVersionWrite } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { requireCaller, type Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { renderState } from "../states/render-state.ts";
import { requireState, requireUnlocked, requireVersion } from "../states/require-state.ts";
import { openContent, sealContent } from "../states/state-content.ts";
import { orphanedLock, traceState } from "../states/trace-state.ts";
import { notFound } from "../entities/target.ts";
import { auditOf } from "../calls/trace-call.ts";

/** Restores an earlier version of a state as the newest one. The new version has the highest serial, which makes all saved plans stale. */
export async function rollbackState(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: Pick<RollbackStateRequest, "project" | "name" | "version">,
): Promise<Answer> {
  return retryStale(deps, `State "${input.name}"`, async () => {
    const state = await requireState(deps, call, method, input);
    requireUnlocked(state);
    const next = await draftVersion(deps, state, input.version, requireCaller(call).user);
    const { entityUid, newest, lock } = state;
    const told = {
      type: "Normal",
      reason: "StateRolledBack",
      message: `version ${input.version} of the state was restored`,
    } as const;
    const audit = auditOf(deps, call, method, { project: state.project, name: state.name, uid: entityUid }, "allowed", "");
    const events = [...(lock === undefined ? [] : [orphanedLock(lock)]), { ...told, actor: next.actor }];
    const trace = await traceState(deps, state, events, [audit]);
    const expected = { entityUid, version: newest?.version ?? 0, lockId: lock?.id ?? null, unlock: true };
    const written = await tryTransaction(deps.pool, async (database) => {
      const version = await writeStateVersion(database, expected, next, trace);
      // Wakes the reconciler, which replaces any plan that is waiting for approval. Such a plan is stale after the rollback.
      if (version !== undefined) await wakeEntities(database, [entityUid]);
      return version;
    });
    if (written === undefined) return undefined;
    deps.feed.poke();
    deps.wakes.notify();
    return { body: JSON.stringify(renderState(await requireState(deps, call, method, input))) };
  });
}

async function draftVersion(deps: ApiDeps, state: StateRow, version: number, actor: string): Promise<StateVersionWrite> {
  const row = await requireVersion(deps, state, version);
  const former = await openContent(deps.keyRing, row);
  if (former === undefined) throw notFound("StateContent", String(version));
  const serial = Math.max(row.serial, state.newest?.serial ?? 0) + 1;
  const { head, md5, content } = await deps.documents.restoreState(state.project, former, serial);
  const uid = createUid(deps.clock.now());
  return {
    uid,
    ...head,
    md5,
    size: content.length,
    taskUid: null,
    operationUid: null,
    actor,
    rolledBackTo: version,
    ...(await sealContent(deps.keyRing, uid, content)),
  };
}
