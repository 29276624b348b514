import { create } from "@bufbuild/protobuf";
import { AwsNetworkSchema, type AwsNetwork, type NetworkSpec } from "@cloudwright/contract/gen/cloudwright/v1/network_pb.ts";

/** Returns the AWS-specific part of a network's spec, or its defaults if the spec has none. */
export function awsOf({ cloud }: NetworkSpec): AwsNetwork {
  return cloud.case === "aws" ? cloud.value : create(AwsNetworkSchema);
}
