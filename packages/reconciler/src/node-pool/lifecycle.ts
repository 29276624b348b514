import { poolProblemsOutput } from "@cloudwright/contract";
import { objectOf, textOf } from "@cloudwright/platform";
import { taskKey } from "@cloudwright/tasks";
import { listConditions } from "../engine/conditions.ts";
import {
  approvalNeeded,
  pauseReasons,
  planWaits,
  policyDenied,
  upgradePaused,
  type Lifecycle,
  type Step,
  type Rules,
  type StepResult,
} from "../engine/step.ts";
import type { OwnerRun, Scope } from "../engine/scope.ts";
import { reconcilerFaults } from "../faults.ts";
import { stopDiscarded, stopExpired } from "../steps/approval.ts";
import { isEndless } from "../steps/endless.ts";
import { isPlanSpent, readRunFault } from "../steps/plan-run.ts";

/** Waits until one of the cluster's runs has built the node pool's current generation. */
const carried: Step = {
  name: "cluster",
  condition: "InfrastructureReady",
  weight: 1,
  decide(scope, work, rules) {
    const generation = scope.entity.object.metadata.generation ?? 0;
    // After a retry, an earlier run counts only if it succeeded.
    const found = findRuns(scope).find((run) =>
      run.parts.some(
        ({ uid, generation: carriedAs, retries }) =>
          uid === scope.entity.uid &&
          carriedAs === generation &&
          ((run.state === "done" && findProblem(run, scope) === undefined) || retries === work.spec.retries),
      ),
    );
    if (found === undefined) return waitForCluster(scope);
    return findProblem(found, scope) ?? judge(scope, found, rules);
  },
};

/**
 * Waits until a cluster run that does not include the node pool has succeeded. If the whole cluster is being deleted, there is nothing to
 * wait for.
 */
const released: Step = {
  name: "cluster",
  condition: "InfrastructureReady",
  weight: 1,
  decide(scope, work, rules) {
    const { entity, above } = scope;
    const runs = findRuns(scope);
    const holds = ({ parts: pools }: OwnerRun): boolean => pools.some(({ uid }) => uid === entity.uid);
    if (above[0]?.object.metadata.deletedAt !== undefined)
      return { do: "continue", message: "deleted together with its cluster" };
    const began = (run: OwnerRun): boolean => run.built && run.started && holds(run);
    if (!runs.some(began)) return { do: "continue", message: "no infrastructure was built" };
    // Runs are sorted newest first, so these runs are newer than the last started run that includes the pool.
    const without = runs.slice(0, runs.findIndex(began));
    if (without.some(({ state }) => state === "done")) return { do: "continue" };
    const next = without.find((run) => !holds(run) && run.state !== "cancelled");
    const step = next === undefined ? waitForCluster(scope) : blameCluster(scope, judge(scope, next, rules));
    if (!work.spec.force) return step;
    if (!isHopeless(scope, step)) return step.do === "wait" ? { ...step, recheckAfterMs: patienceMs } : step;
    const message = "message" in step ? (step.message ?? "") : "";
    return { do: "continue", message, abandoned: [`NodePool "${entity.name}" (${entity.uid}): ${message}`] };
  },
};

function findRuns(scope: Scope): readonly OwnerRun[] {
  return scope.above[0]?.runs ?? [];
}

/** How long a forced deletion waits for a run that has not started. */
const patienceMs = 10_000;

function isHopeless({ nowMs, operation }: Scope, result: StepResult): boolean {
  if (result.do === "stop") return true;
  const askedAtMs = Date.parse(operation?.object.metadata.createdAt ?? "");
  return result.do === "wait" && result.task?.state !== "leased" && nowMs - askedAtMs >= patienceMs;
}

/** Tells the user to retry the cluster's operation, because its failed run blocks the deletion. */
function blameCluster({ above }: Scope, result: StepResult): StepResult {
  if (result.do !== "stop") return result;
  const { name = "", operation = "" } = above[0]?.object.metadata ?? {};
  return { ...result, message: `Cluster "${name}" could not remove the node pool (retry ${operation}): ${result.message}` };
}

/** Waits for the cluster's next run. If the cluster is waiting for approval or is denied by policy, reports that instead. */
function waitForCluster({ above }: Scope): StepResult {
  const name = above[0]?.object.metadata.name ?? "";
  const said = listConditions(above[0]?.object.status ?? {});
  const find = (type: string, reason: string): string | undefined => {
    const condition = said.find((candidate) => candidate["type"] === type && candidate["reason"] === reason);
    if (condition?.["status"] === "False" && type === upgradePaused) return undefined;
    return typeof condition?.["message"] === "string" ? `Cluster "${name}": ${condition["message"]}` : undefined;
  };
  const awaited = find(approvalNeeded, planWaits);
  if (awaited !== undefined) return { do: "wait", reason: approvalNeeded, message: awaited };
  const denied = find("PolicyAllowed", policyDenied);
  if (denied !== undefined) return { do: "stop", reason: policyDenied, message: denied, code: reconcilerFaults.denied.code };
  const paused = [...pauseReasons].map((reason) => find(upgradePaused, reason)).find((message) => message !== undefined);
  return {
    do: "wait",
    reason: "ClusterRunPending",
    message: paused ?? `waiting for the next run of Cluster "${name}"`,
  };
}

/** Returns the failure of a node pool that a run could not build, although the run built the rest of the cluster. */
function findProblem({ outcome, state, ...run }: OwnerRun, { entity }: Scope): StepResult | undefined {
  if (state !== "done" || outcome?.state !== "done") return undefined;
  const problem = objectOf(objectOf(objectOf(outcome.result)[poolProblemsOutput])[entity.name]);
  if (Object.keys(problem).length === 0) return undefined;
  const task = { uid: run.uid, attempt: run.attempt, progress: run.progress, state };
  return { do: "stop", reason: "TaskFailed", message: textOf(problem["message"]), code: textOf(problem["code"]), task };
}

function judge(scope: Scope, run: OwnerRun, rules: Rules): StepResult {
  if (run.plan !== undefined) return run.plan.discardedBy === null ? stopExpired(run.uid) : stopDiscarded(run.plan.discardedBy);
  // The cluster's operation will make a new plan.
  if (isPlanSpent(run) && (run.round ?? rules.taskAttempts) < rules.taskAttempts) return waitForCluster(scope);
  const fault = readRunFault(run);
  if (isPlanSpent(run) && isEndless(fault.code)) return waitForCluster(scope);
  const task = { uid: run.uid, attempt: run.attempt, progress: run.progress, state: run.state };
  switch (run.state) {
    case "done":
      return { do: "continue", task };
    case "failed":
      return { do: "stop", reason: "TaskFailed", ...fault, task };
    case "cancelled":
      return { do: "wait", reason: "ClusterRunPending", message: "waiting for the cluster's next run" };
    default:
      return { do: "wait", reason: "Working", message: run.progress?.message || "the cluster is being changed", task };
  }
}

/** A node pool has no runs of its own. Each run of its cluster builds all pools. */
export const nodePoolLifecycle: Lifecycle = {
  service: "cluster",
  creation: [carried],
  deletion: [released],
  fingerprint: ({ entity }) => taskKey({ generation: entity.object.metadata.generation ?? 0 }),
  checked: false,
  readStatus: () => ({}),
  follows: "a later run for the cluster completed the change",
};
