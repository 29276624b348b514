import { timeText, type KubeObject } from "../cluster/kube-object.ts";
import { keyOf, type Controller } from "./controller.ts";
import { deletePod, isActive, isPodReady, listOwnedPods, makePod, ownerKey } from "./owned-pods.ts";

/** Runs a Job's pods until enough have succeeded or too many have failed. */
export const jobs: Controller = {
  name: "jobs",
  *keysOf({ resource, object }) {
    if (resource === "jobs.batch") yield keyOf(object);
    if (resource === "pods") {
      const key = ownerKey(object, "Job");
      if (key !== undefined) yield key;
    }
  },
  reconcile(scope, namespace, name) {
    const { state, clock } = scope.cluster;
    const job = state.find("jobs.batch", namespace, name);
    if (job === undefined || job.metadata.deletionTimestamp !== undefined || isOver(job)) return;
    const pods = listOwnedPods(scope.cluster, job);
    const active = pods.filter(isActive);
    const succeeded = pods.filter(({ status }) => status?.phase === "Succeeded").length;
    const failed = pods.filter(({ status }) => status?.phase === "Failed").length;
    const now = timeText(clock.now());
    const isComplete = succeeded >= job.spec.completions;
    const isFailed = failed > job.spec.backoffLimit;
    const wanted =
      isComplete || isFailed || job.spec.suspend === true ? 0 : Math.min(job.spec.parallelism, job.spec.completions - succeeded);
    for (let index = active.length; index < wanted; index++) makePod(scope, job);
    for (const pod of active.slice(wanted)) deletePod(scope, job, pod);
    const running = Math.max(active.length, wanted);
    const count = {
      ...(running > 0 && wanted > 0 && { active: wanted }),
      ...(succeeded > 0 && { succeeded }),
      ...(failed > 0 && { failed }),
      ready: active.filter(isPodReady).length,
      terminating: 0,
      uncountedTerminatedPods: {},
    };
    const over = isComplete
      ? [condition("SuccessCriteriaMet", "CompletionsReached", now), condition("Complete", "CompletionsReached", now)]
      : isFailed
        ? [condition("FailureTarget", "BackoffLimitExceeded", now), condition("Failed", "BackoffLimitExceeded", now)]
        : [];
    const status = {
      ...count,
      startTime: job.status?.startTime ?? now,
      ...(isComplete && { completionTime: now }),
      ...(over.length > 0 && { conditions: over }),
    };
    state.put("jobs.batch", { ...job, status });
    if (isComplete) scope.event(job, "Normal", "Completed", "Job completed", "job-controller");
    if (isFailed)
      scope.event(job, "Warning", "BackoffLimitExceeded", "Job has reached the specified backoff limit", "job-controller");
  },
};

function isOver({ status }: KubeObject): boolean {
  return (status?.conditions ?? []).some(
    (one: any) => (one.type === "Complete" || one.type === "Failed") && one.status === "True",
  );
}

function condition(type: string, reason: string, now: string): object {
  return { type, status: "True", reason, lastProbeTime: now, lastTransitionTime: now };
}
