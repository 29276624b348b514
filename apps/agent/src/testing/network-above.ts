import type { TestParent } from "@cloudwright/deployer/testing";
import type { Inventory } from "@cloudwright/simulator";

const region = "eu-west-1";
const roles = ["public", "private", "intra"] as const;

/** The parent network that tests pass to a cluster's tasks. It has three kinds of subnets in two zones. */
export const inNetwork: readonly TestParent[] = [
  {
    kind: "Network",
    uid: "network",
    name: "net",
    spec: { region },
    outputs: {
      network_id: "vpc-1",
      ...Object.fromEntries(roles.map((role) => [`${role}_subnet_ids`, ["a", "b"].map((letter) => `subnet-${role}${letter}`)])),
    },
  },
];

/** Creates the records of the `inNetwork` network directly in a simulated cloud, without running Terraform. */
export async function addNetwork(inventory: Inventory, tenant: string): Promise<void> {
  await inventory.put(tenant, { type: "aws_vpc", id: "vpc-1", attributes: { id: "vpc-1", region, cidr_block: "10.0.0.0/16" } });
  for (const [index, role] of roles.entries()) {
    for (const [place, letter] of ["a", "b"].entries()) {
      const id = `subnet-${role}${letter}`;
      const range = { cidr_block: `10.0.${index * 2 + place}.0/24`, availability_zone: region + letter };
      await inventory.put(tenant, { type: "aws_subnet", id, attributes: { id, region, vpc_id: "vpc-1", ...range } });
    }
  }
}
