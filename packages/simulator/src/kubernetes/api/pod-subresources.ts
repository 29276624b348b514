import { matchesSelector } from "./selectors.ts";
import { timeText, type KubeObject } from "../cluster/kube-object.ts";
import type { Answer, ResourceCall } from "./call.ts";
import { ok } from "./call.ts";
import { deleteObject, type DeleteOptions } from "./delete.ts";
import { parseBody } from "./patch.ts";
import { badRequest, conflict, noSuchPath, StatusError } from "./status-error.ts";
import { getObject } from "./update.ts";

/** Handles the pod subresources log, eviction and binding. Rejects subresources that need a running process. */
export function answerPodSubresource(call: ResourceCall): Answer {
  const pod = getObject(call);
  switch (call.subresource) {
    case "log":
      return answerLog(call, pod);
    case "eviction":
      return evict(call, pod);
    case "binding":
      return bind(call, pod);
    case "exec":
    case "attach":
    case "portforward":
      throw new StatusError(
        501,
        "NotImplemented",
        `pod "${call.name}" is simulated: there is no process to ${call.subresource} to`,
        { name: call.name, kind: "pods" },
      );
    default:
      throw noSuchPath();
  }
}

function answerLog(call: ResourceCall, pod: KubeObject): Answer {
  const names = (pod.spec.containers as { name: string }[]).map(({ name }) => name);
  const container = call.query.get("container") ?? names[0] ?? "";
  if (call.query.get("container") === null && names.length > 1) {
    throw badRequest(`a container name must be specified for pod ${call.name}, choose one of: [${names.join(" ")}]`);
  }
  if (!names.includes(container)) throw badRequest(`container ${container} is not valid for pod ${call.name}`);
  const status = (pod.status?.containerStatuses ?? []).find((one: any) => one.name === container);
  if (status?.state?.running === undefined && status?.state?.terminated === undefined) {
    throw badRequest(`container "${container}" in pod "${call.name}" is waiting to start: ContainerCreating`);
  }
  const startedAt = (status.state.running ?? status.state.terminated).startedAt;
  const stamp = call.query.get("timestamps") === "true" ? `${startedAt} ` : "";
  return {
    code: 200,
    body: `${stamp}simulated: container ${container} of pod ${call.namespace}/${call.name} started; no process runs here\n`,
    contentType: "text/plain",
  };
}

function evict(call: ResourceCall, pod: KubeObject): Answer {
  const body = call.body.length === 0 ? {} : (parseBody(call) as { deleteOptions?: DeleteOptions });
  const { state } = call.cluster;
  const budgets = state
    .list("poddisruptionbudgets.policy", call.namespace)
    .filter((budget) => matchesSelector(budget.spec?.selector, pod.metadata.labels));
  const spent = budgets.find((budget) => (budget.status?.disruptionsAllowed ?? 0) <= 0);
  if (spent !== undefined && pod.status?.phase === "Running") {
    const message = "Cannot evict pod as it would violate the pod's disruption budget.";
    const causes = [
      {
        reason: "DisruptionBudget",
        message: `The disruption budget ${spent.metadata.name} needs ${spent.status?.desiredHealthy ?? 0} healthy pods and has ${spent.status?.currentHealthy ?? 0} currently`,
        field: "",
      },
    ];
    throw new StatusError(429, "TooManyRequests", message, { causes, retryAfterSeconds: 10 });
  }
  for (const budget of budgets) {
    const status = { ...budget.status, disruptionsAllowed: (budget.status?.disruptionsAllowed ?? 1) - 1 };
    state.put("poddisruptionbudgets.policy", { ...budget, status });
  }
  deleteObject({ ...call, subresource: "" }, body.deleteOptions ?? {});
  return ok({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }, 201);
}

function bind(call: ResourceCall, pod: KubeObject): Answer {
  const target = (parseBody(call) as { target?: { name?: string } }).target?.name ?? "";
  if (pod.spec.nodeName !== undefined)
    throw conflict(call.kind, call.name, `pod ${call.name} is already assigned to node "${pod.spec.nodeName}"`);
  const scheduled = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timeText(call.cluster.clock.now()),
  };
  const status = {
    ...pod.status,
    conditions: [...(pod.status?.conditions ?? []).filter((one: any) => one.type !== "PodScheduled"), scheduled],
  };
  call.cluster.state.put("pods", { ...pod, spec: { ...pod.spec, nodeName: target }, status });
  return ok({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }, 201);
}
