import type { CallOptions } from "./call-options.ts";
import type { AvailableVersion, ClusterInfo, ClusterRef, Clusters, UpgradeRequest } from "./clusters.ts";
import type { Instances } from "./instances.ts";
import type { NodePools } from "./node-pools.ts";

/**
 * Clusters and machines in one account, project or subscription. Creating a library loads no SDK and sends no requests. Every failed call
 * rejects with a `CloudFault`, or with the reason of the caller's signal.
 */
export interface CloudLibrary {
  readonly cloud: string;
  readonly clusters: Clusters;
  readonly nodePools: NodePools;
  readonly instances: Instances;
  /**
   * Upgrades the control plane and then the node pools, by at most one minor version. Resolves when all requested components run the
   * version. A repeated call continues where the last one stopped.
   */
  upgrade(cluster: ClusterRef, request: UpgradeRequest, options?: CallOptions): Promise<ClusterInfo>;
  /** Lists the Kubernetes versions that the managed service offers, newest first. */
  availableVersions(options?: VersionOptions): Promise<readonly AvailableVersion[]>;
  /** Closes connections. Calls in progress may fail. */
  close(): Promise<void>;
}

export interface VersionOptions extends CallOptions {
  /** Default: the client's region or location. */
  readonly region?: string;
}
