import type { KubeObject } from "../cluster/kube-object.ts";

/** What is known of a cluster besides its objects. It holds no secret: keys and tokens are derived. */
export interface ClusterRecord {
  readonly id: string;
  /** `v1.31.4` */
  readonly version: string;
  readonly createdAtMs: number;
}

/** Where an object is kept. */
export interface ObjectKey {
  /** `pods`, `deployments.apps`. */
  readonly resource: string;
  /** Empty for what belongs to no namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** One change of one object: what it is now, or that it is gone. */
export interface ObjectChange {
  readonly version: number;
  readonly key: ObjectKey;
  readonly object: KubeObject | undefined;
}

/** All objects of a cluster, and the version of the last change. */
export interface ObjectSnapshot {
  readonly version: number;
  readonly objects: readonly { readonly key: ObjectKey; readonly object: KubeObject }[];
}

/**
 * Where simulated clusters are kept. A cluster is loaded as a whole when it is first asked for, served from memory, and forgotten when
 * nobody asks; hence there is no reading of single objects. When the promise of a change resolves, the change outlives the process.
 */
export interface KubernetesObjects {
  listClusters(): Promise<readonly ClusterRecord[]>;
  /** Adds a cluster; false when there is one of that id. */
  createCluster(record: ClusterRecord): Promise<boolean>;
  /** Replaces what is known of a cluster besides its objects; false when there is none. */
  updateCluster(record: ClusterRecord): Promise<boolean>;
  /** Removes a cluster with all its objects; false when there was none. */
  deleteCluster(id: string): Promise<boolean>;
  load(id: string): Promise<ObjectSnapshot>;
  /**
   * Keeps changes in their order, all or none. Refused with `simulator.objects_stale` when the last change kept is not that of `after`,
   * so that of two processes that serve the same cluster one notices.
   */
  commit(id: string, after: number, changes: readonly ObjectChange[]): Promise<void>;
}
