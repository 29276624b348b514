import { Fault } from "@cloudwright/platform";
import { findOrigin, isAtLeast } from "../../configuration-origin.ts";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";
import { azureOf } from "./azure-of.ts";

const since = "v1.1.0";

/**
 * Renders the variables that network/azure v1.1.0 added. `outputs` comes from the last apply. Throws if the spec needs these variables but
 * `version` does not have them.
 */
export function renderLater({ name, spec }: DeployedEntity<"Network">, version: string, outputs: JsonObject): JsonObject {
  const { defaultOutboundAccess } = azureOf(spec);
  if (isAtLeast(version, since)) {
    // An upgrade must not interrupt the outgoing traffic of a network that relied on implicit addresses.
    const reliesOnIt = !isAtLeast(findOrigin(outputs, version), since) && (spec.nat || "none") === "none";
    return { default_outbound_access: defaultOutboundAccess ?? reliesOnIt };
  }
  if (defaultOutboundAccess === undefined) return {};
  const fix = `set spec.infra.version to ${since} to upgrade it`;
  const message = `configuration ${version} of ${name} does not support spec.azure.defaultOutboundAccess; ${fix}`;
  throw new Fault(deployerFaults.not_supported, message);
}
