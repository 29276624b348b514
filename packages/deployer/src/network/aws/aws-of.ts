import { create } from "@bufbuild/protobuf";
import { AwsNetworkSchema, type AwsNetwork, type NetworkSpec } from "@cloudwright/contract/gen/cloudwright/v1/network_pb.ts";

/** Returns the part of a network's spec that only AWS has, with defaults if the spec has none. */
export function awsOf({ cloud }: NetworkSpec): AwsNetwork {
  return cloud.case === "aws" ? cloud.value : create(AwsNetworkSchema);
}
