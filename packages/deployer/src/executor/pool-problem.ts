import { poolProblemsOutput } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import type { DeployerTask, JsonObject } from "../task.ts";

/** A node pool that a run could not build, although it built the rest of the cluster. The pool reports the fault as its own. */
export interface PoolProblem {
  readonly pool: string;
  readonly fault: Fault;
}

/** Returns the output that reports the problems, or nothing if there are none. The first problem of a pool counts. */
export function renderProblems(problems: readonly PoolProblem[]): JsonObject {
  if (problems.length === 0) return {};
  const byPool = problems
    .toReversed()
    .map(({ pool, fault: { code, message, help } }) => [pool, { code, message, help }] as const);
  return { [poolProblemsOutput]: Object.fromEntries(byPool) };
}

/** A failed change of a node pool. */
export interface PoolFailure {
  readonly pool: string;
  readonly error: unknown;
}

/**
 * Decides what becomes of failed changes after all other changes were made. Returns those that only a change of the pool's spec or of the
 * account can resolve, as problems of the cluster's pools. Throws any other, so that the run is repeated.
 */
export function judgeFailures(
  { payload }: Pick<DeployerTask, "payload">,
  failures: readonly PoolFailure[],
): readonly PoolProblem[] {
  const names = new Set(payload.nodePools.map(({ name }) => name));
  return failures.map(({ pool, error }) => {
    if (!(error instanceof Fault) || error.retry !== "never" || !names.has(pool)) throw error;
    return { pool, fault: error };
  });
}
