import { create } from "@bufbuild/protobuf";
import { AzureNetworkSchema, type AzureNetwork, type NetworkSpec } from "@cloudwright/contract/gen/cloudwright/v1/network_pb.ts";

/** Returns the Azure-specific part of a network's spec, or its defaults if the spec has none. */
export function azureOf({ cloud }: NetworkSpec): AzureNetwork {
  return cloud.case === "azure" ? cloud.value : create(AzureNetworkSchema);
}
