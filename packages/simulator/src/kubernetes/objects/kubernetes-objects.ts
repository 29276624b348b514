import type { KubeObject } from "../cluster/kube-object.ts";

/** The properties of a cluster, without its objects. Keys and tokens are derived, so the record contains no secrets. */
export interface ClusterRecord {
  readonly id: string;
  /** The Kubernetes version, such as `v1.31.4`. */
  readonly version: string;
  readonly createdAtMs: number;
  /** The project whose limits the cluster counts against. Clusters without a project share one budget. */
  readonly project?: string;
  /** The cloud whose managed Kubernetes service runs the cluster. The cloud determines which objects a new cluster contains. */
  readonly cloud?: string;
}

/** The key of a stored object. */
export interface ObjectKey {
  /** The resource with its group, such as `pods` or `deployments.apps`. */
  readonly resource: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** A change to one object: its new value, or its deletion. */
export interface ObjectChange {
  readonly version: number;
  readonly key: ObjectKey;
  readonly object: KubeObject | undefined;
}

/**
 * All objects of a cluster, and the version of the latest change. Reading `object` from an entry may parse it each time, so read it only
 * once.
 */
export interface ObjectSnapshot {
  readonly version: number;
  readonly objects: readonly { readonly key: ObjectKey; readonly object: KubeObject }[];
}

/**
 * Stores simulated clusters. A cluster is loaded as a whole on first use, served from memory, and unloaded when idle, so the store never
 * reads individual objects. Once the promise of a change resolves, the change survives a crash.
 */
export interface KubernetesObjects {
  listClusters(): Promise<readonly ClusterRecord[]>;
  /** Adds a cluster. Returns false if the id is already taken. */
  createCluster(record: ClusterRecord): Promise<boolean>;
  /** Replaces the properties of a cluster. Returns false if it does not exist. */
  updateCluster(record: ClusterRecord): Promise<boolean>;
  /** Deletes a cluster with all its objects. Returns false if it does not exist. */
  deleteCluster(id: string): Promise<boolean>;
  load(id: string): Promise<ObjectSnapshot>;
  /** Returns the ids of clusters that contain objects whose deletion has not finished. */
  listUnfinished(): Promise<readonly string[]>;
  /**
   * Saves changes in the given order, all or none. Throws `simulator.objects_stale` if the latest saved version is not `after`, which means
   * that another process is serving the same cluster.
   */
  commit(id: string, after: number, changes: readonly ObjectChange[]): Promise<void>;
}

/** Appears in the JSON of every object whose deletion was requested. */
export const deletionMark = '"deletionTimestamp":';
