import { describeError } from "@cloudwright/platform";
import type { KubeObject } from "../cluster/kube-object.ts";
import type { ClusterState } from "../cluster/cluster-state.ts";
import { makeObject } from "../cluster/make-object.ts";
import { keyOf, type Controller, type Scope } from "./controller.ts";
import { removeFinalizer } from "./garbage.ts";
import { parseQuantity } from "./quantity.ts";

const gibibyte = 1024 ** 3;

/** Binds each claim to an available volume, or to a new one that the cloud creates. */
export const volumeClaims: Controller = {
  name: "volume-claims",
  *keysOf({ resource, object }, { state }) {
    if (resource === "persistentvolumeclaims") yield keyOf(object);
    // A scheduled or deleted pod can unblock its own claims. A new volume or storage class can unblock any claim.
    if (resource === "pods") for (const name of claimsOf(object)) yield `${object.metadata.namespace}/${name}`;
    if (resource === "persistentvolumes" || resource === "storageclasses.storage.k8s.io") {
      for (const claim of state.list("persistentvolumeclaims")) if (claim.status?.phase !== "Bound") yield keyOf(claim);
    }
  },
  reconcile(scope, namespace, name) {
    const { state } = scope.cluster;
    const claim = state.find("persistentvolumeclaims", namespace, name);
    if (claim === undefined) return;
    if (claim.metadata.deletionTimestamp !== undefined) {
      if (!isUsed(state, claim)) removeFinalizer(scope.cluster, "persistentvolumeclaims", claim, "kubernetes.io/pvc-protection");
      return;
    }
    if (claim.status?.phase === "Bound") return resize(scope, claim);
    const volume = findVolume(state, claim);
    if (volume !== undefined) return bind(state, claim, volume);
    provision(scope, claim);
  },
};

function claimsOf({ spec }: KubeObject): string[] {
  return ((spec?.volumes ?? []) as any[])
    .map((volume) => volume.persistentVolumeClaim?.claimName)
    .filter((name) => name !== undefined);
}

function isUsed(state: ClusterState, claim: KubeObject): boolean {
  return state
    .list("pods", claim.metadata.namespace)
    .some((pod) => claimsOf(pod).includes(claim.metadata.name) && !["Succeeded", "Failed"].includes(pod.status?.phase));
}

function findVolume(state: ClusterState, claim: KubeObject): KubeObject | undefined {
  const { volumeName, storageClassName = "", resources, accessModes } = claim.spec;
  return state.list("persistentvolumes").find(({ metadata, spec, status }) => {
    if (metadata.deletionTimestamp !== undefined || status?.phase === "Released" || status?.phase === "Bound") return false;
    const reference = spec.claimRef;
    if (reference !== undefined)
      return reference.namespace === claim.metadata.namespace && reference.name === claim.metadata.name;
    if (volumeName !== undefined) return metadata.name === volumeName;
    const isLarge = parseQuantity(spec.capacity?.storage) >= parseQuantity(resources?.requests?.storage);
    return (
      isLarge &&
      (spec.storageClassName ?? "") === storageClassName &&
      accessModes.every((mode: string) => spec.accessModes?.includes(mode))
    );
  });
}

function bind(state: ClusterState, claim: KubeObject, volume: KubeObject): void {
  const { name, namespace, uid } = claim.metadata;
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid };
  state.put("persistentvolumes", { ...volume, spec: { ...volume.spec, claimRef }, status: { ...volume.status, phase: "Bound" } });
  const status = { phase: "Bound", accessModes: volume.spec.accessModes, capacity: volume.spec.capacity };
  const annotations = { ...claim.metadata.annotations, "pv.kubernetes.io/bind-completed": "yes" };
  state.put("persistentvolumeclaims", {
    ...claim,
    metadata: { ...claim.metadata, annotations },
    spec: { ...claim.spec, volumeName: volume.metadata.name },
    status,
  });
}

function provision(scope: Scope, claim: KubeObject): void {
  const { state } = scope.cluster;
  const { storageClassName } = claim.spec;
  const storageClass = state.find("storageclasses.storage.k8s.io", "", storageClassName ?? "");
  if (storageClass === undefined) {
    if (storageClassName)
      scope.event(
        claim,
        "Warning",
        "ProvisioningFailed",
        `storageclass.storage.k8s.io "${storageClassName}" not found`,
        "persistentvolume-controller",
      );
    return;
  }
  const user = state
    .list("pods", claim.metadata.namespace)
    .find((pod) => pod.spec.nodeName !== undefined && claimsOf(pod).includes(claim.metadata.name));
  if (storageClass["volumeBindingMode"] === "WaitForFirstConsumer" && user === undefined) return;
  const node = user === undefined ? undefined : state.find("nodes", "", user.spec.nodeName);
  createVolume(scope, claim, storageClass, node?.metadata.labels?.["topology.kubernetes.io/zone"]);
}

function createVolume(scope: Scope, claim: KubeObject, storageClass: KubeObject, zone: string | undefined): void {
  const { cluster, hooks } = scope;
  const { namespace = "", name, uid } = claim.metadata;
  const provisioner = String(storageClass["provisioner"]);
  const sizeGiB = Math.max(1, Math.ceil(parseQuantity(claim.spec.resources.requests.storage) / gibibyte));
  const parameters = (storageClass["parameters"] ?? {}) as Record<string, string>;
  scope.doOutside(
    keyOf(claim),
    async () => {
      const request = { namespace, name, uid, sizeGiB, storageClass: storageClass.metadata.name, provisioner, parameters, zone };
      const { volumeId } = await hooks.createVolume(cluster.record.id, request);
      const zones = [{ matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: [zone] }] }];
      makeObject(cluster, "persistentvolumes", {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: {
          name: `pvc-${uid}`,
          annotations: { "pv.kubernetes.io/provisioned-by": provisioner },
          finalizers: ["kubernetes.io/pv-protection", "external-provisioner.volume.kubernetes.io/finalizer"],
        },
        spec: {
          capacity: { storage: `${sizeGiB}Gi` },
          accessModes: claim.spec.accessModes,
          persistentVolumeReclaimPolicy: storageClass["reclaimPolicy"] ?? "Delete",
          storageClassName: storageClass.metadata.name,
          csi: { driver: provisioner, volumeHandle: volumeId },
          claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid },
          ...(zone !== undefined && { nodeAffinity: { required: { nodeSelectorTerms: zones } } }),
        },
        status: { phase: "Available" },
      });
      scope.event(claim, "Normal", "ProvisioningSucceeded", `Successfully provisioned volume pvc-${uid}`, provisioner);
    },
    (error) =>
      scope.event(claim, "Warning", "ProvisioningFailed", `failed to provision volume: ${describeError(error)}`, provisioner),
  );
}

function resize(scope: Scope, claim: KubeObject): void {
  const { cluster, hooks } = scope;
  const volume = cluster.state.find("persistentvolumes", "", claim.spec.volumeName);
  const wanted = parseQuantity(claim.spec.resources?.requests?.storage);
  if (volume === undefined || wanted <= parseQuantity(volume.spec.capacity?.storage)) return;
  const storageClass = cluster.state.find("storageclasses.storage.k8s.io", "", claim.spec.storageClassName ?? "");
  if (storageClass?.["allowVolumeExpansion"] !== true || volume.spec.csi === undefined) return;
  const sizeGiB = Math.ceil(wanted / gibibyte);
  scope.doOutside(
    keyOf(claim),
    async () => {
      await hooks.resizeVolume(cluster.record.id, volume.spec.csi.volumeHandle, sizeGiB);
      const capacity = { storage: `${sizeGiB}Gi` };
      const [now, current] = [
        cluster.state.find("persistentvolumes", "", volume.metadata.name),
        cluster.state.find("persistentvolumeclaims", claim.metadata.namespace ?? "", claim.metadata.name),
      ];
      if (now !== undefined) cluster.state.put("persistentvolumes", { ...now, spec: { ...now.spec, capacity } });
      if (current !== undefined)
        cluster.state.put("persistentvolumeclaims", { ...current, status: { ...current.status, capacity } });
      scope.event(claim, "Normal", "FileSystemResizeSuccessful", "MountVolume.NodeExpandVolume succeeded", "kubelet");
    },
    (error) =>
      scope.event(claim, "Warning", "VolumeResizeFailed", `failed to resize volume: ${describeError(error)}`, "external-resizer"),
  );
}
