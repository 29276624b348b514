import type { CallOptions, CreateOptions, DeleteOptions, WaitOptions } from "./call-options.ts";
import type { ClusterRef, ClusterStatus } from "./cluster-status.ts";
import type { NodePoolInfo, NodePoolRequest } from "./node-pools.ts";

export type { ClusterRef, ClusterStatus } from "./cluster-status.ts";

/** A cluster to create, with its first node pool. */
export interface ClusterRequest {
  readonly name: string;
  /** `1.34`, `v1.34` or `1.34.2`. Without a patch, the newest available patch is used. Without a version, the cloud's default is used. */
  readonly version?: string;
  /** Default: the client's region or location. A region in the request takes precedence over the client's default zone. */
  readonly region?: string;
  /** A single zone for the control plane. GKE only. */
  readonly zone?: string;
  /** Total number of nodes in the first pool, across all zones. If the cloud allows it, 0 creates no pool. Default: 1. */
  readonly nodeCount?: number;
  readonly nodeType?: string;
  /** Subnet IDs. Required on EKS, in at least two zones. Optional on GKE (subnetwork) and AKS (ARM ID of a subnet). */
  readonly subnets?: readonly string[];
  readonly network?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly endpointAccess?: EndpointAccess;
  /** Other settings of the first pool. */
  readonly pool?: Omit<NodePoolRequest, "count" | "type">;
  /** Passed unchanged to the cloud's create request. Fields that the library sets take precedence. */
  readonly native?: Readonly<Record<string, unknown>>;
}

/** Where the cluster's Kubernetes API can be reached from. */
export interface EndpointAccess {
  readonly public?: boolean;
  readonly private?: boolean;
  /** Address ranges that may reach the public endpoint. */
  readonly cidrs?: readonly string[];
}

/** A cluster as the cloud reports it. */
export interface ClusterInfo {
  /** The cloud's own ID: an ARN, `projects/p/locations/l/clusters/c`, or an ARM ID. */
  readonly id: string;
  readonly name: string;
  readonly cloud: string;
  readonly region: string;
  /** The zone of a zonal GKE cluster. For all other clusters, the region. */
  readonly location: string;
  /** Azure only. */
  readonly resourceGroup?: string;
  /** How the cluster identifies callers: `API`, `API_AND_CONFIG_MAP` or `CONFIG_MAP`. EKS only. */
  readonly authenticationMode?: string;
  readonly version: string;
  readonly status: ClusterStatus;
  readonly nativeStatus: string;
  /** Why the cluster is degraded or failed, if the cloud reports a reason. */
  readonly statusReason?: string;
  /** URL of the Kubernetes API. Absent while the cluster is being created. */
  readonly endpoint?: string;
  /** Certificate authority of the Kubernetes API: PEM, encoded as base64. */
  readonly certificateAuthority?: string;
  /** Empty in lists, unless the cloud returns the pools with the cluster. */
  readonly nodePools: readonly NodePoolInfo[];
  readonly network?: string;
  readonly subnets: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt?: Date;
}

/** Managed clusters: EKS, GKE and AKS. */
export interface Clusters {
  create(request: ClusterRequest, options?: CreateOptions): Promise<ClusterInfo>;
  /**
   * Throws `clouds.not_found` if there is no such cluster. If the name exists in several locations, throws `clouds.invalid` with a list of
   * the IDs.
   */
  get(cluster: ClusterRef, options?: CallOptions): Promise<ClusterInfo>;
  /** Like `get`, but returns undefined if the resource does not exist. */
  find(cluster: ClusterRef, options?: CallOptions): Promise<ClusterInfo | undefined>;
  list(options?: ListClustersOptions): Promise<readonly ClusterInfo[]>;
  /** Deletes the node pools, then the cluster, then the roles and identities that `create` created. Succeeds even if nothing exists. */
  delete(cluster: ClusterRef, options?: DeleteOptions): Promise<void>;
  /** Resolves when the cluster and its node pools are usable. Throws `clouds.failed` if the cloud reports a failure. */
  waitReady(cluster: ClusterRef, options?: WaitOptions): Promise<ClusterInfo>;
  /** Renders a kubeconfig as YAML. */
  kubeconfig(cluster: ClusterRef, options?: KubeconfigOptions): Promise<string>;
}

export interface ListClustersOptions extends CallOptions {
  /** A region or location. Default: the client's region on AWS, and all locations on the other clouds. `all` lists every location. */
  readonly region?: string;
}

export interface KubeconfigOptions extends CallOptions {
  /** `exec` (default) contains the cloud's own command and no credentials. `token` contains a short-lived token. */
  readonly mode?: "exec" | "token";
}

export interface UpgradeRequest {
  /** `1.34`, `v1.34` or `1.34.2`. */
  readonly version: string;
  /** `all` (default), `control-plane`, or the names of the pools to upgrade. */
  readonly pools?: "all" | "control-plane" | readonly string[];
  /** Time limit for the whole upgrade. Default: 2 hours. */
  readonly timeoutMs?: number;
  /** Called before each pool is upgraded. Throw an error to stop; the next call continues with this pool. */
  readonly beforePool?: (pool: NodePoolInfo) => Promise<void>;
}

/** A Kubernetes version that the managed service offers. */
export interface AvailableVersion {
  /** As the cloud names it: `1.34`, `1.34.3-gke.1000000` or `1.34.2`. */
  readonly version: string;
  /** `1.34`. */
  readonly minor: string;
  readonly isDefault: boolean;
  readonly support: "standard" | "extended" | "preview" | "unknown";
  readonly endOfSupport?: Date;
}
