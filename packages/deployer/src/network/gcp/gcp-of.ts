import { create } from "@bufbuild/protobuf";
import { GcpNetworkSchema, type GcpNetwork, type NetworkSpec } from "@cloudwright/contract/gen/cloudwright/v1/network_pb.ts";

/** Returns the part of a network's spec that is specific to Google Cloud, or its defaults if the spec has none. */
export function gcpOf({ cloud }: NetworkSpec): GcpNetwork {
  return cloud.case === "gcp" ? cloud.value : create(GcpNetworkSchema);
}
