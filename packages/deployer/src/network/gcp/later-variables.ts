import { toJson } from "@bufbuild/protobuf";
import { GcpNetworkSchema } from "@cloudwright/contract/gen/cloudwright/v1/network_pb.ts";
import { Fault } from "@cloudwright/platform";
import { findOrigin, isAtLeast } from "../../configuration-origin.ts";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";
import { gcpOf } from "./gcp-of.ts";

const since = "v1.1.0";
const fields = ["natLogs", "natPortsPerMachine", "firewallLogs"];

/** Renders the variables that network/gcp v1.1.0 added. Throws if the spec needs these variables but `version` does not have them. */
export function renderLater({ name, spec }: DeployedEntity<"Network">, version: string, outputs: JsonObject): JsonObject {
  const gcp = gcpOf(spec);
  if (!isAtLeast(version, since)) {
    const extra = Object.keys(toJson(GcpNetworkSchema, gcp) as object).find((field) => fields.includes(field));
    if (extra === undefined) return {};
    const fix = `set spec.infra.version to ${since} to upgrade it`;
    throw new Fault(
      deployerFaults.not_supported,
      `configuration ${version} of ${name} does not support spec.gcp.${extra}; ${fix}`,
    );
  }
  // Logs cost money, and turning on dynamic port allocation interrupts connections. For these reasons, an upgrade of an existing network
  // enables neither.
  const isNew = isAtLeast(findOrigin(outputs, version), since);
  return {
    nat_logs: gcp.natLogs || (isNew ? "errors" : "none"),
    ...(gcp.natPortsPerMachine === 0 ? {} : { nat_ports_per_machine: gcp.natPortsPerMachine }),
    nat_dynamic_ports: isNew,
    firewall_logs: gcp.firewallLogs,
  };
}
