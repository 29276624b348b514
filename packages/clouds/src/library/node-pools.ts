import type { CallOptions, CreateOptions, DeleteOptions, WaitOptions } from "./call-options.ts";
import type { ClusterRef, ClusterStatus } from "./cluster-status.ts";

/** A group of identical nodes to create. */
export interface NodePoolRequest {
  /** Default: `default`. AKS allows at most 12 lower-case letters and digits. */
  readonly name?: string;
  /** Total number of nodes, across all zones. */
  readonly count: number;
  /** Machine type. Default: the cloud's suggestion for small clusters. */
  readonly type?: string;
  readonly min?: number;
  /** Setting `max` turns on the cloud's own autoscaler, if the cloud has one. */
  readonly max?: number;
  /** Kubernetes labels of the nodes. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly NodeTaint[];
  readonly zones?: readonly string[];
  readonly subnets?: readonly string[];
  readonly spot?: boolean;
  readonly diskGiB?: number;
  readonly version?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** ARN of the nodes' role. Takes precedence over the client's `nodeRoleArn`. EKS only. */
  readonly role?: string;
  /** Passed unchanged to the cloud's create request. Fields that the library sets take precedence. */
  readonly native?: Readonly<Record<string, unknown>>;
}

export interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

/** A node pool as the cloud reports it. */
export interface NodePoolInfo {
  /** The cloud's own ID. */
  readonly id: string;
  readonly name: string;
  /** Name of the cluster. */
  readonly cluster: string;
  readonly status: ClusterStatus;
  readonly nativeStatus: string;
  readonly statusReason?: string;
  readonly version: string;
  /** Desired number of nodes, across all zones. */
  readonly count: number;
  readonly min?: number;
  readonly max?: number;
  readonly types: readonly string[];
  readonly zones: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
  /** ARN of the nodes' role. EKS only. */
  readonly role?: string;
  /** Selects the pool's nodes in Kubernetes, for example `eks.amazonaws.com/nodegroup=default`. */
  readonly nodeSelector: string;
}

/** Fields that `update` changes. Absent fields remain unchanged. */
export type NodePoolChange = Partial<Pick<NodePoolRequest, "min" | "max" | "labels" | "taints" | "tags">>;

export interface DeletePoolOptions extends DeleteOptions {
  /**
   * Drains the pool's nodes. Called with their label selector before the cloud deletes them. Without this function, only the cloud drains
   * the nodes.
   */
  readonly drain?: (nodeSelector: string, signal?: AbortSignal) => Promise<void>;
}

/** The node pools of managed clusters. */
export interface NodePools {
  create(cluster: ClusterRef, pool: NodePoolRequest, options?: CreateOptions): Promise<NodePoolInfo>;
  /** Throws `clouds.not_found` if there is no such pool. */
  get(cluster: ClusterRef, pool: string, options?: CallOptions): Promise<NodePoolInfo>;
  list(cluster: ClusterRef, options?: CallOptions): Promise<readonly NodePoolInfo[]>;
  /** Sets the total number of nodes. Widens `min` and `max` of the pool if `count` is outside them. */
  scale(cluster: ClusterRef, pool: string, count: number, options?: CreateOptions): Promise<NodePoolInfo>;
  update(cluster: ClusterRef, pool: string, change: NodePoolChange, options?: CreateOptions): Promise<NodePoolInfo>;
  /** Succeeds even if the pool does not exist. */
  delete(cluster: ClusterRef, pool: string, options?: DeletePoolOptions): Promise<void>;
  waitReady(cluster: ClusterRef, pool: string, options?: WaitOptions): Promise<NodePoolInfo>;
}
