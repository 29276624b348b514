import { markDeleted } from "../api/delete.ts";
import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import type { Kept } from "../cluster/cluster-state.ts";
import type { KubeObject, OwnerReference } from "../cluster/kube-object.ts";
import { storageKey } from "../kinds/kinds.ts";
import type { Controller } from "./controller.ts";

/**
 * Deletes objects whose owner is gone, and delays the deletion of owners that have the finalizer `foregroundDeletion` or `orphan`. Its keys
 * are owner uids, and `/resource|namespace|name` for objects that refer to an owner.
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
  reconcile({ cluster }, what, key) {
    if (what === "gone") for (const kept of ownedBy(cluster, key)) releaseOrDelete(cluster, kept);
    if (what === "owner") finishOwner(cluster, key);
    if (what === "waiting")
      for (const { key: place } of findByUid(cluster, key))
        finishOwner(cluster, `${place.resource}|${place.namespace}|${place.name}`);
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

function ownedBy({ state }: AwakeCluster, uid: string): Kept[] {
  return [...state.listAll()].filter(({ object }) => object.metadata.ownerReferences?.some((owner) => owner.uid === uid));
}

function findByUid({ state }: AwakeCluster, uid: string): Kept[] {
  return [...state.listAll()].filter(({ object }) => object.metadata.uid === uid && object.metadata.finalizers?.some(isOurs));
}

function releaseOrDelete(cluster: AwakeCluster, { key, object }: Pick<Kept, "key" | "object">): void {
  const owners = object.metadata.ownerReferences ?? [];
  const living = owners.filter((owner) => isThere(cluster, owner, key.namespace));
  if (living.length === owners.length) return;
  if (living.length > 0) {
    cluster.state.put(key.resource, { ...object, metadata: { ...object.metadata, ownerReferences: living } });
  } else if (object.metadata.deletionTimestamp === undefined) {
    markDeleted(cluster.state, key.resource, object, { propagationPolicy: "Background" }, cluster.clock.now());
  }
}

function isThere({ state, kinds }: AwakeCluster, owner: OwnerReference, namespace: string): boolean {
  const [group, version] = owner.apiVersion.includes("/") ? owner.apiVersion.split("/") : ["", owner.apiVersion];
  const kind = kinds.findByKind(group ?? "", version ?? "", owner.kind);
  // An owner of an unknown kind cannot be looked up, so it counts as existing.
  if (kind === undefined) return true;
  return state.find(storageKey(kind), kind.namespaced ? namespace : "", owner.name)?.metadata.uid === owner.uid;
}

function finishOwner(cluster: AwakeCluster, place: string): void {
  const { state, clock } = cluster;
  const [resource = "", namespace = "", name = ""] = place.split("|");
  const owner = state.find(resource, namespace, name);
  if (owner?.metadata.deletionTimestamp === undefined) return;
  const finalizers = owner.metadata.finalizers ?? [];
  const owned = ownedBy(cluster, owner.metadata.uid);
  if (finalizers.includes("orphan")) {
    for (const { key, object } of owned) {
      const ownerReferences = object.metadata.ownerReferences?.filter(({ uid }) => uid !== owner.metadata.uid) ?? [];
      const { ownerReferences: _, ...rest } = object.metadata;
      state.put(key.resource, { ...object, metadata: ownerReferences.length > 0 ? { ...rest, ownerReferences } : rest });
    }
    removeFinalizer(cluster, resource, owner, "orphan");
  } else if (finalizers.includes("foregroundDeletion")) {
    for (const { key, object } of owned) {
      if (object.metadata.deletionTimestamp === undefined)
        markDeleted(state, key.resource, object, { propagationPolicy: "Foreground" }, clock.now());
    }
    const blocking = ownedBy(cluster, owner.metadata.uid).filter(({ object }) =>
      object.metadata.ownerReferences?.some(
        ({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion === true,
      ),
    );
    if (blocking.length === 0) removeFinalizer(cluster, resource, owner, "foregroundDeletion");
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
