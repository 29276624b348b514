import { create } from "@bufbuild/protobuf";
import { AwsClusterSchema, type AwsCluster, type ClusterSpec } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";

/** Returns the EKS-specific part of a cluster's spec, or its defaults if the spec has none. */
export function awsOf({ cloud }: ClusterSpec): AwsCluster {
  return cloud.case === "aws" ? cloud.value : create(AwsClusterSchema);
}
