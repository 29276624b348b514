import type { Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { judgePlan, type RunRow } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { requireCaller, type Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import type { PlacedRef } from "../entities/require-placed.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { renderRun } from "../runs/render-run.ts";
import { requireRun } from "../runs/require-run.ts";
import { traceState } from "../states/trace-state.ts";
import { auditOf } from "../calls/trace-call.ts";

const deeds = {
  approve: { open: ["NEEDS_APPROVAL"], reason: "RunApproved", done: "approved" },
  discard: { open: ["NEEDS_APPROVAL", "PLANNED"], reason: "RunDiscarded", done: "discarded" },
} as const;

/** Approves a run's plan, or discards a run whose plan has not been applied. Wakes the reconciler. */
export async function judgeRun(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: PlacedRef & { readonly comment?: string },
): Promise<Answer> {
  const verb = method.verb === "approve" ? "approve" : "discard";
  return retryStale(deps, `Run "${input.name}"`, async () => {
    const run = await requireRun(deps, call, method, input);
    const { open, reason, done } = deeds[verb];
    if (run.plan === null || !(open as readonly string[]).includes(run.state)) throw notOpen(run, done);
    const { uid, entityUid, kind, name, project, environment } = run;
    const actor = requireCaller(call).user;
    const { comment = "" } = input;
    const told = {
      type: "Normal",
      reason,
      message: `run ${uid} was ${done}${comment === "" ? "" : `: ${comment}`}`,
      actor,
    } as const;
    const audit = auditOf(deps, call, method, { project, name: uid, uid: entityUid }, "allowed", "");
    const trace = await traceState(deps, { entityUid, project, kind, name, environment }, [told], [audit]);
    if (!(await judgePlan(deps.pool, { verb, uid, actor, comment }, trace))) return undefined;
    deps.feed.poke();
    deps.wakes.notify();
    return { body: JSON.stringify(renderRun(await requireRun(deps, call, method, input))) };
  });
}

function notOpen({ uid, state }: RunRow, done: string): Fault {
  return new Fault(apiFaults.run_not_open, `run ${uid} cannot be ${done}; its state is ${state}`);
}
