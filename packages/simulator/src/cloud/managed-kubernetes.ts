import type { Inventory } from "../inventory/inventory.ts";
import type { ClusterContents } from "./cluster-contents.ts";

/** The simulated managed Kubernetes service of one cloud. */
export interface ManagedKubernetes {
  readonly contents: ClusterContents;
  /** The types of the resources that `listClusters` reads. */
  readonly recordTypes: readonly string[];
  /** Returns a tenant's clusters from the inventory. */
  listClusters(inventory: Inventory, tenant: string): Promise<readonly ClusterFacts[]>;
  /** Creates a `ClusterCloud` that records the cloud resources of clusters in the inventory. */
  createClusterCloud(
    deps: { readonly inventory: Inventory },
    findOwner: (cluster: string) => Promise<ClusterOwner>,
  ): ClusterCloud;
}

/** A worker node of a cluster. */
export interface ClusterNode {
  readonly name: string;
  readonly providerId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly { readonly key: string; readonly value: string; readonly effect: string }[];
  readonly instanceType: string;
  readonly region: string;
  readonly zone: string;
  readonly internalIp: string;
  readonly cpu: number;
  readonly memoryGiB: number;
  readonly version: string;
}

/** A cluster in an account, with its worker nodes. */
export interface ClusterFacts {
  readonly name: string;
  readonly region: string;
  /** The full version, such as `v1.34.2`. */
  readonly version: string;
  readonly nodes: readonly ClusterNode[];
  /** The address range of Services, such as `10.100.0.0/16`. Empty if it is not known. */
  readonly serviceRange: string;
  /** True if the Gateway API is enabled. */
  readonly hasGateways?: boolean;
}

/** Identifies a cluster by its tenant and its name in the tenant's account. */
export interface ClusterOwner {
  readonly tenant: string;
  readonly name: string;
}

/** Manages the cloud resources that clusters create: load balancers with network interfaces, and volumes. All methods are idempotent. */
export interface ClusterCloud {
  createLoadBalancer(
    cluster: string,
    request: { readonly uid: string },
  ): Promise<{ readonly hostname?: string; readonly ip?: string }>;
  deleteLoadBalancer(cluster: string, uid: string): Promise<void>;
  createVolume(
    cluster: string,
    request: {
      readonly uid: string;
      readonly namespace: string;
      readonly name: string;
      readonly sizeGiB: number;
      readonly zone: string | undefined;
      readonly parameters: Readonly<Record<string, string>>;
    },
  ): Promise<{ readonly volumeId: string }>;
  resizeVolume(cluster: string, volumeId: string, sizeGiB: number): Promise<void>;
  deleteVolume(cluster: string, volumeId: string): Promise<void>;
  /** Returns the address range of a cluster's Services, or undefined if the cloud does not know the cluster. */
  findServiceRange?(cluster: string): Promise<string | undefined>;
  /** Returns whether the Gateway API is enabled in a cluster. */
  hasGateways?(cluster: string): Promise<boolean>;
}
