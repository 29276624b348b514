import { join } from "node:path";

/**
 * Builds networks of Azure accounts with the provider `cloudwright/sim`, which simulates its resources.
 * @type {import("@cloudwright/deployer").Stack<"Network">}
 */
const simNetwork = {
  service: "network",
  folder: "sim-network",
  cloud: "azure",
  variables: ({ name, uid, spec }) => ({ name, cidr: spec.cidr || "10.0.0.0/16", entity: uid }),
  environment: () => ({}),
  status: ({ network_id: id }) => {
    if (id === undefined) throw new Error("the configuration has no output network_id");
    return { network_id: id.value.reveal() };
  },
  findUntagged: () => undefined,
};

export default { stacks: [simNetwork], configurations: [join(import.meta.dirname, "infra")] };
