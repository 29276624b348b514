import { create } from "@bufbuild/protobuf";
import { AzureClusterSchema, type AzureCluster, type ClusterSpec } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import {
  AzureNodePoolSchema,
  type AzureNodePool,
  type NodePoolSpec,
} from "@cloudwright/contract/gen/cloudwright/v1/node_pool_pb.ts";

/** Returns the AKS-specific part of a cluster's spec, or its defaults if the spec has none. */
export function azureOf({ cloud }: ClusterSpec): AzureCluster {
  return cloud.case === "azure" ? cloud.value : create(AzureClusterSchema);
}

/** Returns the AKS-specific part of a node pool's spec, or its defaults if the spec has none. */
export function azurePoolOf({ cloud }: NodePoolSpec): AzureNodePool {
  return cloud.case === "azure" ? cloud.value : create(AzureNodePoolSchema);
}
