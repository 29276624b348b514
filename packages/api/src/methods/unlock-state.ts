import type { Method } from "@cloudwright/contract";
import type { UnlockStateRequest } from "@cloudwright/contract/gen/cloudwright/v1/state_pb.ts";
import { Fault } from "@cloudwright/platform";
import { setStateLock } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { requireCaller, type Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { renderState } from "../states/render-state.ts";
import { requireState } from "../states/require-state.ts";
import { orphanedLock, traceState, type StateEvent } from "../states/trace-state.ts";
import { auditOf } from "../calls/trace-call.ts";

/**
 * Releases a state's lock if the task that acquired it has lost its lease. With `force`, releases any lock. Does nothing if the state is
 * not locked.
 */
export async function unlockState(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: Pick<UnlockStateRequest, "project" | "name" | "force">,
): Promise<Answer> {
  return retryStale(deps, `State "${input.name}"`, async () => {
    const state = await requireState(deps, call, method, input);
    const { lock, entityUid, project, name } = state;
    if (lock === undefined) return { body: JSON.stringify(renderState(state)) };
    if (lock.isAlive && !input.force)
      throw new Fault(
        apiFaults.state_locked,
        `the state of "${name}" is locked by task ${lock.taskUid}, which still holds its lease`,
      );
    const actor = requireCaller(call).user;
    const forced: StateEvent = {
      type: "Warning",
      reason: "StateUnlocked",
      message: `the lock "${lock.id}" was released by force although task ${lock.taskUid} still holds its lease`,
      actor,
    };
    const audit = auditOf(deps, call, method, { project, name, uid: entityUid }, "allowed", "");
    const trace = await traceState(deps, state, [lock.isAlive ? forced : { ...orphanedLock(lock), actor }], [audit]);
    if (!(await setStateLock(deps.pool, { entityUid, from: lock.id, to: null }, trace))) return undefined;
    deps.feed.poke();
    return { body: JSON.stringify(renderState({ ...state, lock: undefined })) };
  });
}
