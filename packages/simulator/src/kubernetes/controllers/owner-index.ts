import type { ClusterState, Kept } from "../cluster/cluster-state.ts";
import type { KubeObject } from "../cluster/kube-object.ts";

/** Finds objects by their uid and by the uids of their owners, without searching all objects of the cluster. */
export interface OwnerIndex {
  listOwned(uid: string): readonly Kept[];
  find(uid: string): Kept | undefined;
}

const indexes = new WeakMap<ClusterState, OwnerIndex>();

/** Returns the index of a cluster. It is built on first use and maintained from then on. */
export function ownersOf(state: ClusterState): OwnerIndex {
  const known = indexes.get(state);
  if (known !== undefined) return known;
  const owned = new Map<string, Set<Kept>>();
  const byUid = new Map<string, Kept>();
  state.follow(({ kept, before, after }) => {
    if (after === undefined) byUid.delete(before?.metadata.uid ?? "");
    else byUid.set(after.metadata.uid, kept);
    if (before?.metadata.ownerReferences === after?.metadata.ownerReferences && before !== undefined && after !== undefined)
      return;
    for (const uid of ownerUids(before)) {
      owned.get(uid)?.delete(kept);
      if (owned.get(uid)?.size === 0) owned.delete(uid);
    }
    for (const uid of ownerUids(after)) {
      const set = owned.get(uid) ?? new Set();
      owned.set(uid, set.add(kept));
    }
  });
  const index: OwnerIndex = { listOwned: (uid) => [...(owned.get(uid) ?? [])], find: (uid) => byUid.get(uid) };
  indexes.set(state, index);
  return index;
}

function ownerUids(object: KubeObject | undefined): string[] {
  return (object?.metadata.ownerReferences ?? []).map(({ uid }) => uid);
}
