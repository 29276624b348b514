import type { ClusterStatus } from "../library/clusters.ts";
import type { InstanceStatus } from "../library/instances.ts";

/** Status values of EKS clusters. */
export const clusterStatuses: Readonly<Record<string, ClusterStatus>> = {
  CREATING: "creating",
  PENDING: "creating",
  ACTIVE: "running",
  UPDATING: "updating",
  DELETING: "deleting",
  FAILED: "failed",
};

/** Status values of EKS node groups. */
export const nodePoolStatuses: Readonly<Record<string, ClusterStatus>> = {
  CREATING: "creating",
  ACTIVE: "running",
  UPDATING: "updating",
  DEGRADED: "degraded",
  DELETING: "deleting",
  CREATE_FAILED: "failed",
  DELETE_FAILED: "failed",
};

/** State names of EC2 instances. */
export const instanceStatuses: Readonly<Record<string, InstanceStatus>> = {
  pending: "pending",
  running: "running",
  stopping: "stopping",
  stopped: "stopped",
  "shutting-down": "terminating",
  terminated: "terminated",
};
