import { ownedBy, type KubeObject } from "../cluster/kube-object.ts";
import { makeObject } from "../cluster/make-object.ts";
import { keyOf, type Controller, type Scope } from "./controller.ts";
import { deletePod, isPodReady, listOwnedPods, makePod, ownerKey, templateHash } from "./owned-pods.ts";

const hashLabel = "controller-revision-hash";

/**
 * Maintains the numbered pods of a StatefulSet and their claims. Creates one pod at a time, and deletes the pod with the highest number
 * first.
 */
export const statefulSets: Controller = {
  name: "statefulsets",
  *keysOf({ resource, object }) {
    if (resource === "statefulsets.apps") yield keyOf(object);
    if (resource === "pods") {
      const key = ownerKey(object, "StatefulSet");
      if (key !== undefined) yield key;
    }
  },
  reconcile(scope, namespace, name) {
    const { state } = scope.cluster;
    const set = state.find("statefulsets.apps", namespace, name);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
    const revision = `${name}-${templateHash(set.spec.template)}`;
    step(scope, set, revision);
    writeStatus(scope, set, revision);
  },
};

function step(scope: Scope, set: KubeObject, revision: string): void {
  const { replicas, podManagementPolicy } = set.spec;
  const start = set.spec.ordinals?.start ?? 0;
  const pods = new Map(listOwnedPods(scope.cluster, set).map((pod) => [ordinalOf(pod), pod]));
  // Counts from zero, because adding one to a very large ordinal would not change it.
  for (let index = 0; index < replicas; index++) {
    const ordinal = start + index;
    const pod = pods.get(ordinal);
    if (pod === undefined) {
      makeClaims(scope, set, ordinal);
      makeNumbered(scope, set, ordinal, revision);
    }
    const isDone = pod !== undefined && isPodReady(pod) && pod.metadata.deletionTimestamp === undefined;
    if (!isDone && podManagementPolicy === "OrderedReady") return;
  }
  const surplus = [...pods.keys()]
    .filter((ordinal) => ordinal >= start + replicas || ordinal < start)
    .toSorted((left, right) => right - left);
  for (const ordinal of podManagementPolicy === "OrderedReady" ? surplus.slice(0, 1) : surplus)
    deletePod(scope, set, pods.get(ordinal) as KubeObject);
  if (surplus.length > 0 || set.spec.updateStrategy.type !== "RollingUpdate") return;
  const partition = set.spec.updateStrategy.rollingUpdate?.partition ?? 0;
  const stale = [...pods].filter(([ordinal, pod]) => ordinal >= partition && pod.metadata.labels?.[hashLabel] !== revision);
  const [next] = stale.toSorted(([left], [right]) => right - left);
  if (next !== undefined && [...pods.values()].every(isPodReady)) deletePod(scope, set, next[1]);
}

function makeNumbered(scope: Scope, set: KubeObject, ordinal: number, revision: string): void {
  const name = `${set.metadata.name}-${ordinal}`;
  const claims = ((set.spec.volumeClaimTemplates ?? []) as any[]).map(({ metadata }) => ({
    name: metadata.name,
    persistentVolumeClaim: { claimName: `${metadata.name}-${name}` },
  }));
  const others = ((set.spec.template.spec.volumes ?? []) as any[]).filter(
    (volume) => !claims.some((claim) => claim.name === volume.name),
  );
  makePod(scope, set, {
    name,
    labels: {
      [hashLabel]: revision,
      "statefulset.kubernetes.io/pod-name": name,
      "apps.kubernetes.io/pod-index": String(ordinal),
    },
    spec: {
      hostname: name,
      subdomain: set.spec.serviceName,
      ...(claims.length + others.length > 0 && { volumes: [...others, ...claims] }),
    },
  });
}

function makeClaims({ cluster }: Scope, set: KubeObject, ordinal: number): void {
  for (const { metadata, spec } of (set.spec.volumeClaimTemplates ?? []) as any[]) {
    const name = `${metadata.name}-${set.metadata.name}-${ordinal}`;
    const standard = cluster.state
      .list("storageclasses.storage.k8s.io")
      .find((one) => one.metadata.annotations?.["storageclass.kubernetes.io/is-default-class"] === "true")?.metadata.name;
    const owners =
      set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete" ? { ownerReferences: [ownedBy(set)] } : {};
    makeObject(cluster, "persistentvolumeclaims", {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        ...metadata,
        name,
        namespace: set.metadata.namespace ?? "",
        labels: set.spec.selector.matchLabels,
        finalizers: ["kubernetes.io/pvc-protection"],
        ...owners,
      },
      spec: { ...(standard !== undefined && { storageClassName: standard }), ...spec },
    });
  }
}

function ordinalOf(pod: KubeObject): number {
  return Number(/-(\d+)$/.exec(pod.metadata.name)?.[1] ?? -1);
}

function writeStatus({ cluster }: Scope, { metadata }: KubeObject, revision: string): void {
  const { state } = cluster;
  const set = state.find("statefulsets.apps", metadata.namespace ?? "", metadata.name);
  if (set === undefined) return;
  const pods = listOwnedPods(cluster, set);
  const ready = pods.filter(isPodReady).length;
  const updated = pods.filter((pod) => pod.metadata.labels?.[hashLabel] === revision).length;
  const isDone = updated === set.spec.replicas && ready === set.spec.replicas;
  const status = {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
    currentReplicas: isDone ? updated : pods.length - updated,
    updatedReplicas: updated,
    currentRevision: isDone ? revision : (set.status?.currentRevision ?? revision),
    updateRevision: revision,
    collisionCount: 0,
  };
  state.put("statefulsets.apps", { ...set, status });
}
