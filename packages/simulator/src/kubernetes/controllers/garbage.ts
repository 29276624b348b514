import { markDeleted } from "../api/delete.ts";
import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import type { Kept } from "../cluster/cluster-state.ts";
import type { KubeObject, OwnerReference } from "../cluster/kube-object.ts";
import { storageKey } from "../kinds/kinds.ts";
import { mostPerStep, type Controller, type Scope } from "./controller.ts";
import { ownersOf } from "./owner-index.ts";

/**
 * Deletes objects whose owner no longer exists, and delays the deletion of owners that have the `foregroundDeletion` or `orphan`
 * finalizer. The controller's keys are owner uids, and `/resource|namespace|name` for objects that refer to an owner.
 */
export const garbage: Controller = {
  name: "garbage",
  *keysOf({ resource, type, object }) {
    const { metadata } = object;
    if (type === "DELETED") yield `gone/${metadata.uid}`;
    else if (metadata.deletionTimestamp !== undefined && metadata.finalizers?.some(isOurs))
      yield `owner/${placeOf(resource, object)}`;
    for (const owner of metadata.ownerReferences ?? []) {
      if (type === "ADDED") yield `orphan/${placeOf(resource, object)}`;
      if (type === "DELETED") yield `waiting/${owner.uid}`;
    }
  },
  reconcile(scope, what, key) {
    const { cluster } = scope;
    if (what === "gone" && !takeStep(ownersOf(cluster.state).listOwned(key), (kept) => releaseOrDelete(cluster, kept)))
      scope.again(`gone/${key}`);
    if (what === "owner") finishOwner(scope, key);
    if (what === "waiting") {
      const owner = ownersOf(cluster.state).find(key);
      if (owner?.object.metadata.finalizers?.some(isOurs)) finishOwner(scope, placeOf(owner.key.resource, owner.object));
    }
    if (what === "orphan") {
      const [resource = "", namespace = "", name = ""] = key.split("|");
      const object = cluster.state.find(resource, namespace, name);
      if (object !== undefined) releaseOrDelete(cluster, { key: { resource, namespace, name }, object });
    }
  },
};

function isOurs(finalizer: string): boolean {
  return finalizer === "foregroundDeletion" || finalizer === "orphan";
}

function placeOf(resource: string, { metadata }: KubeObject): string {
  return `${resource}|${metadata.namespace ?? ""}|${metadata.name}`;
}

/** Applies a change to a limited number of the given objects. Returns false if more objects may need the change. */
function takeStep(all: readonly Kept[], change: (kept: Kept) => boolean): boolean {
  let changed = 0;
  for (const kept of all) {
    if (changed === mostPerStep) return false;
    if (change(kept)) changed++;
  }
  return true;
}

/** Removes references to owners that no longer exist, and deletes the object if no owner remains. Returns whether anything changed. */
function releaseOrDelete(cluster: AwakeCluster, { key, object }: Pick<Kept, "key" | "object">): boolean {
  const owners = object.metadata.ownerReferences ?? [];
  const living = owners.filter((owner) => isThere(cluster, owner, key.namespace));
  if (living.length === owners.length) return false;
  if (living.length === 0 && object.metadata.deletionTimestamp !== undefined) return false;
  if (living.length > 0)
    cluster.state.put(key.resource, { ...object, metadata: { ...object.metadata, ownerReferences: living } });
  else markDeleted(cluster.state, key.resource, object, { propagationPolicy: "Background" }, cluster.clock.now());
  return true;
}

function isThere({ state, kinds }: AwakeCluster, owner: OwnerReference, namespace: string): boolean {
  const [group, version] = owner.apiVersion.includes("/") ? owner.apiVersion.split("/") : ["", owner.apiVersion];
  const kind = kinds.findByKind(group ?? "", version ?? "", owner.kind);
  // An owner of an unknown kind cannot be looked up, so it counts as existing.
  if (kind === undefined) return true;
  return state.find(storageKey(kind), kind.namespaced ? namespace : "", owner.name)?.metadata.uid === owner.uid;
}

function finishOwner(scope: Scope, place: string): void {
  const { cluster } = scope;
  const { state, clock } = cluster;
  const [resource = "", namespace = "", name = ""] = place.split("|");
  const owner = state.find(resource, namespace, name);
  if (owner?.metadata.deletionTimestamp === undefined) return;
  const { uid, finalizers = [] } = owner.metadata;
  const owned = ownersOf(state).listOwned(uid);
  const orphan = ({ key, object }: Kept): boolean => {
    const ownerReferences = object.metadata.ownerReferences?.filter((one) => one.uid !== uid) ?? [];
    const { ownerReferences: _, ...rest } = object.metadata;
    state.put(key.resource, { ...object, metadata: ownerReferences.length > 0 ? { ...rest, ownerReferences } : rest });
    return true;
  };
  const end = ({ key, object }: Kept): boolean => {
    if (object.metadata.deletionTimestamp !== undefined) return false;
    markDeleted(state, key.resource, object, { propagationPolicy: "Foreground" }, clock.now());
    return true;
  };
  if (finalizers.includes("orphan")) {
    if (!takeStep(owned, orphan)) return scope.again(`owner/${place}`);
    removeFinalizer(cluster, resource, owner, "orphan");
  } else if (finalizers.includes("foregroundDeletion")) {
    if (!takeStep(owned, end)) return scope.again(`owner/${place}`);
    const isBlocking = ({ object }: Kept): boolean =>
      object.metadata.ownerReferences?.some((one) => one.uid === uid && one.blockOwnerDeletion === true) === true;
    if (!ownersOf(state).listOwned(uid).some(isBlocking)) removeFinalizer(cluster, resource, owner, "foregroundDeletion");
  }
}

/** Removes a finalizer from an object. Removes the object itself if it is being deleted and this was the last finalizer. */
export function removeFinalizer({ state }: AwakeCluster, resource: string, object: KubeObject, finalizer: string): void {
  const { name, namespace = "" } = object.metadata;
  const current = state.find(resource, namespace, name);
  if (current?.metadata.finalizers?.includes(finalizer) !== true) return;
  const finalizers = current.metadata.finalizers.filter((one) => one !== finalizer);
  const isPodEnding = resource === "pods" && (current.metadata.deletionGracePeriodSeconds ?? 0) > 0;
  if (current.metadata.deletionTimestamp !== undefined && finalizers.length === 0 && !isPodEnding) {
    state.remove(resource, namespace, name);
    return;
  }
  const { finalizers: _, ...rest } = current.metadata;
  state.put(resource, { ...current, metadata: finalizers.length > 0 ? { ...rest, finalizers } : rest });
}
