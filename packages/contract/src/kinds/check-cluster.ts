import type { FieldViolation } from "@cloudwright/platform";
import type { Cluster } from "../../gen/cloudwright/v1/cluster_pb.ts";
import { overlaps, parseRange } from "../cidr.ts";
import { defaultPodCidr, defaultServiceCidr } from "./cluster.ts";

/** Rejects a pod range that overlaps the service range. */
export function checkCluster({ spec }: Cluster): FieldViolation[] {
  const networking = spec?.networking;
  if (networking === undefined) return [];
  const podText = networking.podCidr || defaultPodCidr;
  const serviceText = networking.serviceCidr || defaultServiceCidr;
  const pod = parseRange(podText);
  const service = parseRange(serviceText);
  if (pod === undefined || service === undefined || !overlaps(pod, service)) return [];
  return [{ field: "spec.networking", message: `pod range ${podText} overlaps service range ${serviceText}` }];
}
