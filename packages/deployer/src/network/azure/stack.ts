import { Fault } from "@cloudwright/platform";
import { pickOutputs } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { Stack } from "../../stack.ts";
import { findUntagged } from "./find-untagged.ts";
import { renderVariables } from "./variables.ts";

const fields = {
  network_id: "text",
  cidr: "text",
  zones: "texts",
  resource_group_name: "text",
  public_subnet_ids: "texts",
  private_subnet_ids: "texts",
  intra_subnet_ids: "texts",
  pod_subnet_id: "text",
  nat_public_ips: "texts",
  load_balancer_public_ips: "texts",
  load_balancer_ip_ids: "texts",
  private_dns_zone_id: "text",
  outbound_type: "text",
} as const;

/** A virtual network with a subnet for nodes, or an existing virtual network that is left unchanged. */
export const azureNetwork: Stack<"Network"> = {
  service: "network",
  cloud: "azure",
  variables: (entity, _account, { outputs }, version) => renderVariables(entity, version, outputs),
  removalVariables: ({ name, project, uid, spec }) => ({ name, region: spec.region, owner: { project, entity: uid } }),
  environment: () => ({}),
  status(outputs) {
    const { values, problems } = pickOutputs(outputs, fields);
    if (problems.length > 0) {
      const said = problems.map(({ field, message }) => `${field} ${message}`).join(", ");
      throw new Fault(deployerFaults.bad_outputs, `the outputs of the network's configuration are invalid: ${said}`);
    }
    return values;
  },
  findUntagged: (thing, tagged, _declares, entity) => findUntagged(thing, tagged, entity),
};
