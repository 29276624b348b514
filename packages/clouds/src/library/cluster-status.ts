/** A name, or the cloud's own ID: an ARN, a self link, `projects/p/locations/l/clusters/c`, or an ARM ID. */
export type ClusterRef = string;

/** The state of a cluster or node pool. A native status that the library does not know becomes `unknown`. */
export type ClusterStatus = "creating" | "running" | "updating" | "degraded" | "stopped" | "deleting" | "failed" | "unknown";
