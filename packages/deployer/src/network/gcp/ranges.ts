import { planRanges as findRanges, type NetworkRanges } from "@cloudwright/contract/clouds/gcp/network-ranges";
import type { GcpNetwork } from "@cloudwright/contract/gen/cloudwright/v1/network_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity } from "../../task.ts";

/**
 * Returns the address ranges of a network. Throws if they are invalid. The API rejects invalid ranges, but a spec may be older than that
 * check.
 */
export function planRanges({ name, spec }: DeployedEntity<"Network">, gcp: GcpNetwork): NetworkRanges {
  const planned = findRanges(spec, gcp);
  if (!("message" in planned)) return planned;
  throw new Fault(deployerFaults.bad_spec, `${planned.field} of ${name} ${planned.message}`);
}
