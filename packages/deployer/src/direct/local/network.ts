import { defaultNetworkCidr } from "@cloudwright/contract";
import type { Blueprint } from "../../executor/in-process/blueprint.ts";
import { textOf } from "../../read-spec.ts";
import { openTypes } from "../open-types.ts";

const type = "local_network";
const address = `${type}.this`;

/** Desired health of a network. A network that an interrupted run left incomplete is completed by an update. */
const healthy = { ready: true };

/** A bridge on the user's machine, with name resolution for its instances. */
export const localNetworkBlueprint: Blueprint<"Network"> = {
  service: "network",
  cloud: "local",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, [type]),
  resources: ({ name, spec }) => [
    {
      type,
      name: "this",
      attributes: {
        cidr: spec.cidr || defaultNetworkCidr,
        domain: `${name}.internal`,
        nat: spec.nat !== "none",
        // Absent for bridges, so that networks of earlier releases do not change.
        ...(spec.cloud.case === "local" && spec.cloud.value.switch === "ovs" ? { switch: "ovs" } : {}),
        ...healthy,
      },
    },
  ],
  outputs(attributesOf) {
    const { id, cidr, domain } = attributesOf(address);
    return { network_id: textOf(id), cidr: textOf(cidr), domain: textOf(domain) };
  },
};
