import type { ClusterStatus } from "../library/clusters.ts";
import type { InstanceStatus } from "../library/instances.ts";

/** Status values of GKE clusters. */
export const clusterStatuses: Readonly<Record<string, ClusterStatus>> = {
  STATUS_UNSPECIFIED: "unknown",
  PROVISIONING: "creating",
  RUNNING: "running",
  RECONCILING: "updating",
  DEGRADED: "degraded",
  STOPPING: "deleting",
  ERROR: "failed",
};

/** Status values of GKE node pools. */
export const nodePoolStatuses: Readonly<Record<string, ClusterStatus>> = {
  STATUS_UNSPECIFIED: "unknown",
  PROVISIONING: "creating",
  RUNNING: "running",
  RECONCILING: "updating",
  RUNNING_WITH_ERROR: "degraded",
  STOPPING: "deleting",
  ERROR: "failed",
};

/** Status values of Compute Engine instances. A `TERMINATED` instance still exists and can be started again. */
export const instanceStatuses: Readonly<Record<string, InstanceStatus>> = {
  PENDING: "pending",
  PROVISIONING: "pending",
  STAGING: "pending",
  RUNNING: "running",
  REPAIRING: "failed",
  PENDING_STOP: "stopping",
  STOPPING: "stopping",
  SUSPENDING: "stopping",
  STOPPED: "stopped",
  SUSPENDED: "stopped",
  TERMINATED: "stopped",
  DEPROVISIONING: "terminating",
};
