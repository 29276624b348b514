import { Fault } from "@cloudwright/platform";
import { pickOutputs } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { Stack } from "../../stack.ts";
import { renderVariables } from "./variables.ts";

const fields = {
  network_id: "text",
  public_subnet_ids: "texts",
  private_subnet_ids: "texts",
  intra_subnet_ids: "texts",
  cidr: "text",
  zones: "texts",
  nat_public_ips: "texts",
  load_balancer_public_ips: "texts",
  load_balancer_ip_ids: "texts",
  pod_range_name: "text",
  service_range_name: "text",
} as const;

/**
 * A VPC network with one subnet, secondary ranges for pods and Services, and Cloud NAT. Alternatively, an existing network that is left
 * unchanged.
 */
export const gcpNetwork: Stack<"Network"> = {
  service: "network",
  cloud: "gcp",
  variables: (entity, account, { outputs }, version) => renderVariables(entity, account, version, outputs),
  removalVariables({ name, project, uid, spec }) {
    return { name, region: spec.region, owner: { project, entity: uid } };
  },
  environment: () => ({}),
  status(outputs) {
    const { values, problems } = pickOutputs(outputs, fields);
    if (problems.length > 0) {
      const said = problems.map(({ field, message }) => `${field} ${message}`).join(", ");
      throw new Fault(deployerFaults.bad_outputs, `the outputs of the network's configuration are invalid: ${said}`);
    }
    return values;
  },
  // Cloud NAT gateways have neither labels nor a description. They are identified by their router, whose id ends with the router's name.
  findUntagged({ type, names }, tagged) {
    if (type !== "google_compute_router_nat") return undefined;
    const routers = [...tagged].filter(([, address]) => address.startsWith("google_compute_router."));
    const [, router] = routers.find(([id]) => names.some((name) => name === id || id.endsWith(`/routers/${name}`))) ?? [];
    return router?.replace("google_compute_router.", `${type}.`);
  },
};
