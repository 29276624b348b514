import { createHash } from "node:crypto";
import { timeText, type KubeObject } from "../cluster/kube-object.ts";
import type { ClusterState } from "../cluster/cluster-state.ts";
import { keyOf, type Controller, type Scope } from "./controller.ts";
import { podsOf } from "./pod-index.ts";

/** Annotation that makes a pod fail. Its value is `ImagePullBackOff`, `CrashLoopBackOff`, or `Error` for a non-zero exit code. */
export const simulatedFaultAnnotation = "cloudwright.dev/simulated-mishap";

/** Starts, finishes and removes the pods on nodes, with realistic delays. */
export const kubelet: Controller = {
  name: "kubelet",
  *keysOf({ resource, type, object }, { state }) {
    if (resource === "pods" && type !== "DELETED") yield keyOf(object);
    if (resource === "persistentvolumeclaims" && object.status?.phase === "Bound") {
      for (const pod of state.list("pods", object.metadata.namespace)) if (pod.status?.phase === "Pending") yield keyOf(pod);
    }
  },
  reconcile(scope, namespace, name) {
    const { state } = scope.cluster;
    const pod = state.find("pods", namespace, name);
    if (pod?.spec.nodeName === undefined) return;
    const key = pod.metadata.uid;
    if (pod.metadata.deletionTimestamp !== undefined) return stop(scope, pod);
    if (pod.status?.phase === "Pending") return start(scope, pod);
    const ends = pod.spec.restartPolicy !== "Always" && pod.status?.phase === "Running";
    if (ends && scope.isDue(keyOf(pod), `end ${key}`, scope.pace.jobMs)) end(scope, pod);
  },
};

function stop(scope: Scope, pod: KubeObject): void {
  const { state } = scope.cluster;
  if ((pod.metadata.deletionGracePeriodSeconds ?? 0) > 0) {
    if (!scope.isDue(keyOf(pod), `stop ${pod.metadata.uid}`, scope.pace.podStopMs)) return;
    for (const { name } of pod.spec.containers) scope.event(pod, "Normal", "Killing", `Stopping container ${name}`, "kubelet");
  }
  if (!pod.metadata.finalizers?.length) state.remove("pods", pod.metadata.namespace ?? "", pod.metadata.name);
  else state.put("pods", { ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds: 0 } });
}

function start(scope: Scope, pod: KubeObject): void {
  const { state, clock } = scope.cluster;
  if (!volumesAreBound(state, pod)) return;
  const fault = pod.metadata.annotations?.[simulatedFaultAnnotation];
  if (!scope.isDue(keyOf(pod), `start ${pod.metadata.uid}`, scope.pace.podStartMs)) return showCreating(state, pod, clock.now());
  if (fault === "ImagePullBackOff" || fault === "CrashLoopBackOff") {
    const containerStatuses = pod.spec.containers.map((one: any) =>
      containerStatus(one, pod, { waiting: { reason: fault, message: `simulated: ${fault}` } }, false),
    );
    state.put("pods", { ...pod, status: { ...pod.status, containerStatuses } });
    scope.event(pod, "Warning", fault === "ImagePullBackOff" ? "Failed" : "BackOff", `simulated: ${fault}`, "kubelet");
    return;
  }
  const startedAt = timeText(clock.now());
  for (const { name, image } of pod.spec.containers) {
    scope.event(pod, "Normal", "Pulled", `Container image "${image}" already present on machine`, "kubelet");
    scope.event(pod, "Normal", "Started", `Started container ${name}`, "kubelet");
  }
  const node = state.find("nodes", "", pod.spec.nodeName);
  const hostIP = node?.status?.addresses?.find((one: any) => one.type === "InternalIP")?.address ?? "10.0.0.1";
  const podIP = pod.spec.hostNetwork === true ? hostIP : podAddress(state, pod);
  const status = {
    ...pod.status,
    phase: "Running",
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: pod.status?.startTime ?? startedAt,
    conditions: conditionsOf(pod, true, startedAt),
    containerStatuses: pod.spec.containers.map((one: any) => containerStatus(one, pod, { running: { startedAt } }, true)),
  };
  state.put("pods", { ...pod, status });
}

function showCreating(state: ClusterState, pod: KubeObject, nowMs: number): void {
  if (pod.status?.containerStatuses !== undefined) return;
  const now = timeText(nowMs);
  const containerStatuses = pod.spec.containers.map((one: any) =>
    containerStatus(one, pod, { waiting: { reason: "ContainerCreating" } }, false),
  );
  state.put("pods", {
    ...pod,
    status: { ...pod.status, startTime: now, conditions: conditionsOf(pod, false, now), containerStatuses },
  });
}

function end(scope: Scope, pod: KubeObject): void {
  const { state, clock } = scope.cluster;
  const finishedAt = timeText(clock.now());
  const isBad = pod.metadata.annotations?.[simulatedFaultAnnotation] === "Error";
  const containerStatuses = pod.status.containerStatuses.map((one: any) => ({
    ...one,
    ready: false,
    started: false,
    state: {
      terminated: {
        exitCode: isBad ? 1 : 0,
        reason: isBad ? "Error" : "Completed",
        startedAt: one.state.running?.startedAt,
        finishedAt,
        containerID: one.containerID,
      },
    },
  }));
  const conditions = conditionsOf(pod, false, finishedAt).map((one) =>
    one.type === "Ready" || one.type === "ContainersReady" ? { ...one, reason: "PodCompleted" } : one,
  );
  state.put("pods", { ...pod, status: { ...pod.status, phase: isBad ? "Failed" : "Succeeded", conditions, containerStatuses } });
}

function volumesAreBound(state: ClusterState, pod: KubeObject): boolean {
  const claims = ((pod.spec.volumes ?? []) as any[])
    .map((volume) => volume.persistentVolumeClaim?.claimName)
    .filter((name) => name !== undefined);
  return claims.every(
    (name) => state.find("persistentvolumeclaims", pod.metadata.namespace ?? "", name)?.status?.phase === "Bound",
  );
}

function conditionsOf(pod: KubeObject, isReady: boolean, lastTransitionTime: string): any[] {
  const scheduled = (pod.status?.conditions ?? []).find((one: any) => one.type === "PodScheduled");
  const condition = (type: string, isTrue: boolean): object => ({
    type,
    status: isTrue ? "True" : "False",
    lastProbeTime: null,
    lastTransitionTime,
    ...(!isTrue && { reason: "ContainersNotReady" }),
  });
  return [
    condition("Initialized", true),
    condition("Ready", isReady),
    condition("ContainersReady", isReady),
    scheduled ?? condition("PodScheduled", true),
  ];
}

function containerStatus(container: any, pod: KubeObject, state: object, isReady: boolean): object {
  const digest = createHash("sha256").update(`${pod.metadata.uid} ${container.name}`).digest("hex");
  const image = createHash("sha256").update(String(container.image)).digest("hex");
  return {
    name: container.name,
    image: container.image,
    imageID: isReady ? `${String(container.image).split(/[:@]/)[0]}@sha256:${image}` : "",
    ...(isReady && { containerID: `containerd://${digest}` }),
    ready: isReady,
    started: isReady,
    restartCount: 0,
    state,
    lastState: {},
  };
}

// Used addresses are not stored separately, because they can be read from the pods.
function podAddress(state: ClusterState, pod: KubeObject): string {
  const { isUsed } = podsOf(state);
  const first = parseInt(createHash("sha256").update(pod.metadata.uid).digest("hex").slice(0, 4), 16);
  for (let step = 0; step < 65_536; step++) {
    const index = (first + step) & 0xffff;
    const address = `10.244.${index >> 8}.${index & 255}`;
    if ((index & 255) > 0 && (index & 255) < 255 && !isUsed(address)) return address;
  }
  return "10.244.0.1";
}
