import { describeError } from "@cloudwright/platform";
import type { KubeObject } from "../cluster/kube-object.ts";
import { keyOf, type Controller, type Scope } from "./controller.ts";
import { markDeleted } from "../api/delete.ts";
import { removeFinalizer } from "./garbage.ts";

const provisioned = "external-provisioner.volume.kubernetes.io/finalizer";

/** Releases volumes whose claim no longer exists, and deletes them in the cloud if their reclaim policy requires it. */
export const volumes: Controller = {
  name: "volumes",
  *keysOf({ resource, type, object }) {
    if (resource === "persistentvolumes" && type !== "DELETED") yield keyOf(object);
    if (resource === "persistentvolumeclaims" && type === "DELETED" && object.spec?.volumeName !== undefined)
      yield `/${object.spec.volumeName}`;
  },
  reconcile(scope, _, name) {
    const { state, clock } = scope.cluster;
    const volume = state.find("persistentvolumes", "", name);
    if (volume === undefined) return;
    const reference = volume.spec.claimRef;
    const claim = reference === undefined ? undefined : state.find("persistentvolumeclaims", reference.namespace, reference.name);
    const isClaimed = claim !== undefined && claim.metadata.uid === (reference.uid ?? claim.metadata.uid);
    const { phase } = volume.status ?? {};
    if (phase === "Bound" && !isClaimed) {
      state.put("persistentvolumes", { ...volume, status: { ...volume.status, phase: "Released" } });
      return;
    }
    if (phase === "Pending") state.put("persistentvolumes", { ...volume, status: { ...volume.status, phase: "Available" } });
    if (volume.metadata.deletionTimestamp !== undefined) return finish(scope, volume, isClaimed && phase === "Bound");
    if (phase === "Released" && volume.spec.persistentVolumeReclaimPolicy === "Delete")
      markDeleted(state, "persistentvolumes", volume, {}, clock.now());
  },
};

function finish(scope: Scope, volume: KubeObject, isInUse: boolean): void {
  const { cluster, hooks } = scope;
  if (isInUse) return;
  removeFinalizer(cluster, "persistentvolumes", volume, "kubernetes.io/pv-protection");
  if (volume.metadata.finalizers?.includes(provisioned) !== true) return;
  if (volume.spec.persistentVolumeReclaimPolicy !== "Delete")
    return removeFinalizer(cluster, "persistentvolumes", volume, provisioned);
  scope.doOutside(
    keyOf(volume),
    async () => {
      await hooks.deleteVolume(cluster.record.id, volume.spec.csi?.volumeHandle ?? "");
      removeFinalizer(cluster, "persistentvolumes", volume, provisioned);
    },
    (error) =>
      scope.event(
        volume,
        "Warning",
        "VolumeFailedDelete",
        `failed to delete volume: ${describeError(error)}`,
        "external-provisioner",
      ),
  );
}
