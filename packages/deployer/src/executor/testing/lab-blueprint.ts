import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity } from "../../task.ts";
import { refer, type Blueprint, type DesiredResource } from "../in-process/blueprint.ts";
import type { CallHook, FakeCloud } from "./fake-cloud.ts";

const types = [
  { name: "fake_network", immutable: ["cidr"] },
  { name: "fake_gateway", immutable: ["network_id"] },
  { name: "fake_subnet", immutable: ["network_id", "zone"] },
  { name: "fake_table", immutable: ["network_id"] },
  { name: "fake_machine", immutable: ["image", "subnet_id"], sensitive: ["password"] },
  { name: "fake_record", immutable: [] },
] as const;

const network = "fake_network.main";

/** Creates a service with at least six resources in a fake cloud. The resources depend on one another. */
export function createLabBlueprint(cloud: FakeCloud, hook: CallHook): Blueprint<"Network"> {
  return {
    service: "lab",
    cloud: "local",
    version: "v1.0.0",
    openTypes: async () => types.map((type) => cloud.openType(type, hook)),
    resources: ({ spec }) => listResources(spec),
    outputs: (attributesOf) => ({
      network_id: attributesOf(network)["id"] ?? null,
      host: attributesOf("fake_record.app")["target"] ?? null,
    }),
  };
}

function listResources({ cidr, zones, nat, region }: DeployedEntity<"Network">["spec"]): readonly DesiredResource[] {
  if (nat === "impossible") throw new Fault(deployerFaults.bad_spec, 'spec.nat is "impossible"; use single or none');
  const subnets = (zones.length === 0 ? ["a"] : zones).map((zone) => ({
    type: "fake_subnet",
    name: zone,
    attributes: { network_id: refer(network, "id"), zone },
  }));
  return [
    {
      type: "fake_record",
      name: "app",
      attributes: { target: refer("fake_machine.app", "address"), ttl_seconds: 60 },
      needs: ["fake_table.main"],
    },
    {
      type: "fake_machine",
      name: "app",
      attributes: {
        subnet_id: refer("fake_subnet.a", "id"),
        size: nat === "single" ? "large" : "small",
        image: region,
        password: "hunter2",
      },
    },
    ...subnets,
    {
      type: "fake_table",
      name: "main",
      attributes: { network_id: refer(network, "id"), routes: [{ to: "0.0.0.0/0", gateway: refer("fake_gateway.main", "id") }] },
    },
    { type: "fake_gateway", name: "main", attributes: { network_id: refer(network, "id") } },
    { type: "fake_network", name: "main", attributes: { cidr: cidr === "" ? "10.0.0.0/16" : cidr } },
  ];
}
