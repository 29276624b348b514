import { create } from "@bufbuild/protobuf";
import { GcpClusterSchema, type ClusterSpec, type GcpCluster } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";

/** Returns the GKE-specific part of a cluster's spec, or its defaults if the spec has none. */
export function gcpOf({ cloud }: ClusterSpec): GcpCluster {
  return cloud.case === "gcp" ? cloud.value : create(GcpClusterSchema);
}
