import type { ClusterStatus } from "../library/cluster-status.ts";
import type { InstanceStatus } from "../library/instances.ts";
import { toStatus } from "../library/statuses.ts";

/** Provisioning states of AKS clusters and agent pools. `Stopped` is the power state of a cluster or pool whose state is `Succeeded`. */
export const clusterStatuses: Readonly<Record<string, ClusterStatus>> = {
  Creating: "creating",
  Succeeded: "running",
  Updating: "updating",
  Upgrading: "updating",
  UpgradingNodeImageVersion: "updating",
  Scaling: "updating",
  Starting: "updating",
  Stopping: "updating",
  Migrating: "updating",
  RotatingClusterCertificates: "updating",
  RotatingServiceAccountSigningKeys: "updating",
  ReconcilingClusterETags: "updating",
  Canceling: "updating",
  Stopped: "stopped",
  Deleting: "deleting",
  Failed: "failed",
  Canceled: "failed",
};

/** Provisioning states of virtual machines, and the codes of their power states. */
export const instanceStatuses: Readonly<Record<string, InstanceStatus>> = {
  Creating: "pending",
  Updating: "pending",
  Migrating: "pending",
  Succeeded: "pending",
  Deleting: "terminating",
  Failed: "failed",
  Canceled: "failed",
  "PowerState/starting": "pending",
  "PowerState/running": "running",
  "PowerState/stopping": "stopping",
  "PowerState/deallocating": "stopping",
  "PowerState/stopped": "stopped",
  "PowerState/deallocated": "stopped",
};

/** A status under the library's name and under Azure's name. */
export interface ReadStatus<Status> {
  readonly status: Status | "unknown";
  readonly nativeStatus: string;
}

/** Reads the status of a cluster or agent pool. A stopped cluster or pool keeps its `Succeeded` provisioning state. */
export function readClusterStatus(provisioningState = "", powerCode?: string): ReadStatus<ClusterStatus> {
  const nativeStatus = provisioningState === "Succeeded" && powerCode === "Stopped" ? "Stopped" : provisioningState;
  return { status: toStatus(clusterStatuses, nativeStatus), nativeStatus };
}

/**
 * Reads the status of a virtual machine. The power state takes precedence, except while the machine is being created or deleted. A machine
 * whose last change failed counts as failed unless it is running.
 */
export function readInstanceStatus(provisioningState = "", powerCode?: string): ReadStatus<InstanceStatus> {
  const isFailed = provisioningState === "Failed" && powerCode !== "PowerState/running";
  const isMoving = provisioningState === "Creating" || provisioningState === "Deleting";
  const nativeStatus = isFailed || isMoving ? provisioningState : (powerCode ?? provisioningState);
  return { status: toStatus(instanceStatuses, nativeStatus), nativeStatus };
}
