import { join } from "node:path";

/**
 * A network in the cloud `local`: one range, played through by the simulator's small provider.
 * @type {import("@cloudwright/deployer").Stack}
 */
const localNetwork = {
  service: "network",
  cloud: "local",
  variables: ({ name, uid, spec }) => ({ name, cidr: spec.cidr || "10.0.0.0/16", entity: uid }),
  environment: () => ({}),
  status: ({ network_id: id }) => {
    if (id === undefined) throw new Error("there is no output network_id");
    return { network_id: id.value.reveal() };
  },
  findUntagged: () => undefined,
};

export default { stacks: [localNetwork], configurations: [join(import.meta.dirname, "infra")] };
