import { controllerOf, ownedBy, timeText, type KubeObject } from "../cluster/kube-object.ts";
import { matchesSelector } from "../api/selectors.ts";
import { makeObject } from "../cluster/make-object.ts";
import { keyOf, type Controller, type Scope } from "./controller.ts";
import { templateHash } from "./owned-pods.ts";

const revisionKey = "deployment.kubernetes.io/revision";

/** Rolls out a Deployment's template according to its strategy. Each template gets its own ReplicaSet. */
export const deployments: Controller = {
  name: "deployments",
  *keysOf({ resource, object }) {
    if (resource === "deployments.apps") yield keyOf(object);
    const owner = resource === "replicasets.apps" ? controllerOf(object) : undefined;
    if (owner?.kind === "Deployment") yield `${object.metadata.namespace}/${owner.name}`;
  },
  reconcile(scope, namespace, name) {
    const deployment = scope.cluster.state.find("deployments.apps", namespace, name);
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return;
    const isPaused = deployment.spec.paused === true;
    const current = findSet(scope, deployment) ?? (isPaused ? undefined : makeSet(scope, deployment));
    if (current !== undefined) {
      markRevision(scope, deployment, current);
      if (!isPaused || listSets(scope, deployment).length === 1) roll(scope, deployment, current.metadata.name);
    }
    writeStatus(scope, deployment);
    forgetOld(scope, deployment);
  },
};

function listSets({ cluster }: Scope, deployment: KubeObject): KubeObject[] {
  return cluster.state.list("replicasets.apps", deployment.metadata.namespace).flatMap((set) => {
    const owner = controllerOf(set);
    if (owner !== undefined) return owner.uid === deployment.metadata.uid ? [set] : [];
    if (!matchesSelector(deployment.spec.selector, set.metadata.labels) || set.metadata.deletionTimestamp !== undefined)
      return [];
    return [
      cluster.state.put("replicasets.apps", { ...set, metadata: { ...set.metadata, ownerReferences: [ownedBy(deployment)] } }),
    ];
  });
}

function setName(deployment: KubeObject): string {
  return `${deployment.metadata.name}-${templateHash(deployment.spec.template)}`;
}

function findSet(scope: Scope, deployment: KubeObject): KubeObject | undefined {
  return listSets(scope, deployment).find((set) => set.metadata.name === setName(deployment));
}

function makeSet(scope: Scope, deployment: KubeObject): KubeObject {
  const { metadata, spec } = deployment;
  const hash = templateHash(spec.template);
  const labels = { ...spec.template.metadata?.labels, "pod-template-hash": hash };
  const set = makeObject(scope.cluster, "replicasets.apps", {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: setName(deployment), namespace: metadata.namespace ?? "", labels, ownerReferences: [ownedBy(deployment)] },
    spec: {
      replicas: 0,
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, "pod-template-hash": hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
    status: { replicas: 0 },
  });
  return set;
}

// Revision numbers only increase. A rollback gives the restored template the next number.
function markRevision(scope: Scope, deployment: KubeObject, current: KubeObject): void {
  const { state } = scope.cluster;
  const revisionOf = (set: KubeObject): number => Number(set.metadata.annotations?.[revisionKey] ?? 0);
  const highest = Math.max(
    0,
    ...listSets(scope, deployment)
      .filter((set) => set.metadata.uid !== current.metadata.uid)
      .map(revisionOf),
  );
  const revision = String(revisionOf(current) > highest ? revisionOf(current) : highest + 1);
  const cause = deployment.metadata.annotations?.["kubernetes.io/change-cause"];
  const own = { [revisionKey]: revision, ...(cause !== undefined && { "kubernetes.io/change-cause": cause }) };
  state.put("replicasets.apps", {
    ...current,
    metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, ...own } },
  });
  const fresh = state.find("deployments.apps", deployment.metadata.namespace ?? "", deployment.metadata.name);
  if (fresh !== undefined && fresh.metadata.annotations?.[revisionKey] !== revision) {
    state.put("deployments.apps", {
      ...fresh,
      metadata: { ...fresh.metadata, annotations: { ...fresh.metadata.annotations, [revisionKey]: revision } },
    });
  }
}

function roll(scope: Scope, deployment: KubeObject, currentName: string): void {
  const { replicas, strategy } = deployment.spec;
  const sets = listSets(scope, deployment);
  const current = sets.find((set) => set.metadata.name === currentName);
  if (current === undefined) return;
  const old = sets.filter((set) => set !== current && set.spec.replicas > 0);
  const oldPods = sets.filter((set) => set !== current).reduce((sum, set) => sum + (set.status?.replicas ?? 0), 0);
  if (strategy.type === "Recreate") {
    for (const set of old) scale(scope, deployment, set, 0);
    if (oldPods === 0) scale(scope, deployment, current, replicas);
    return;
  }
  const surge = part(strategy.rollingUpdate?.maxSurge, replicas, Math.ceil);
  const unavailable = part(strategy.rollingUpdate?.maxUnavailable, replicas, Math.floor) || (surge === 0 ? 1 : 0);
  const total = current.spec.replicas + old.reduce((sum, set) => sum + set.spec.replicas, 0);
  if (old.length === 0) return scale(scope, deployment, current, replicas);
  const room = replicas + surge - total;
  if (current.spec.replicas < replicas && room > 0)
    scale(scope, deployment, current, Math.min(replicas, current.spec.replicas + room));
  else if (current.spec.replicas > replicas) scale(scope, deployment, current, replicas);
  const available = sets.reduce((sum, set) => sum + (set.status?.availableReplicas ?? 0), 0);
  let mayGo = available - (replicas - unavailable);
  for (const set of old) {
    // Pods that never became available can be removed immediately.
    const broken = Math.max(0, set.spec.replicas - (set.status?.availableReplicas ?? 0));
    const less = Math.min(set.spec.replicas, broken + Math.max(0, mayGo));
    mayGo -= Math.max(0, less - broken);
    if (less > 0) scale(scope, deployment, set, set.spec.replicas - less);
  }
}

function part(value: string | number | undefined, of: number, round: (value: number) => number): number {
  if (typeof value === "number") return value;
  return round((of * parseInt(value ?? "25%", 10)) / 100);
}

function scale(scope: Scope, deployment: KubeObject, { metadata }: KubeObject, replicas: number): void {
  const { state } = scope.cluster;
  const set = state.find("replicasets.apps", metadata.namespace ?? "", metadata.name);
  if (set === undefined || set.spec.replicas === replicas) return;
  const direction = replicas > set.spec.replicas ? "up" : "down";
  const message = `Scaled ${direction} replica set ${metadata.name} from ${set.spec.replicas} to ${replicas}`;
  state.put("replicasets.apps", {
    ...set,
    metadata: { ...set.metadata, generation: (set.metadata.generation ?? 0) + 1 },
    spec: { ...set.spec, replicas },
  });
  scope.event(deployment, "Normal", "ScalingReplicaSet", message, "deployment-controller");
}

function writeStatus(scope: Scope, { metadata }: KubeObject): void {
  const { state, clock } = scope.cluster;
  const deployment = state.find("deployments.apps", metadata.namespace ?? "", metadata.name);
  if (deployment === undefined) return;
  const sets = listSets(scope, deployment);
  const sum = (of: (set: KubeObject) => number | undefined): number => sets.reduce((total, set) => total + (of(set) ?? 0), 0);
  const current = sets.find((set) => set.metadata.name === setName(deployment));
  const [replicas, ready, available] = [
    sum((set) => set.status?.replicas),
    sum((set) => set.status?.readyReplicas),
    sum((set) => set.status?.availableReplicas),
  ];
  const updated = current?.status?.replicas ?? 0;
  const wanted = deployment.spec.replicas;
  const isAvailable = available >= wanted - part(deployment.spec.strategy.rollingUpdate?.maxUnavailable, wanted, Math.floor);
  const isDone = updated === wanted && replicas === wanted && available === wanted;
  const now = timeText(clock.now());
  const conditions = [
    condition(
      deployment,
      "Available",
      isAvailable,
      isAvailable ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
      `Deployment ${isAvailable ? "has" : "does not have"} minimum availability.`,
      now,
    ),
    condition(
      deployment,
      "Progressing",
      true,
      isDone ? "NewReplicaSetAvailable" : "ReplicaSetUpdated",
      `ReplicaSet "${current?.metadata.name}" ${isDone ? "has successfully progressed." : "is progressing."}`,
      now,
    ),
  ];
  const status = {
    observedGeneration: deployment.metadata.generation,
    ...(replicas > 0 && { replicas }),
    ...(updated > 0 && { updatedReplicas: updated }),
    ...(ready > 0 && { readyReplicas: ready }),
    ...(available > 0 && { availableReplicas: available }),
    ...(wanted > available && { unavailableReplicas: wanted - available }),
    conditions,
  };
  state.put("deployments.apps", { ...deployment, status });
}

function condition({ status }: KubeObject, type: string, isTrue: boolean, reason: string, message: string, now: string): object {
  const before = (status?.conditions ?? []).find((one: any) => one.type === type);
  const word = isTrue ? "True" : "False";
  if (before?.status === word && before.reason === reason && before.message === message) return before;
  return {
    type,
    status: word,
    reason,
    message,
    lastUpdateTime: now,
    lastTransitionTime: before?.status === word ? before.lastTransitionTime : now,
  };
}

function forgetOld(scope: Scope, deployment: KubeObject): void {
  const { state } = scope.cluster;
  const revisionOf = (set: KubeObject): number => Number(set.metadata.annotations?.[revisionKey] ?? 0);
  const idle = listSets(scope, deployment)
    .filter((set) => set.spec.replicas === 0 && (set.status?.replicas ?? 0) === 0 && set.metadata.name !== setName(deployment))
    .toSorted((left, right) => revisionOf(right) - revisionOf(left));
  for (const set of idle.slice(deployment.spec.revisionHistoryLimit))
    state.remove("replicasets.apps", set.metadata.namespace ?? "", set.metadata.name);
}
