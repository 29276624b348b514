import { objectOf, type Json } from "@cloudwright/platform";
import type { DirectCloud } from "./simulated-account.ts";

const region = "eu-west-1";
const zones = ["a", "b"].map((letter, index) => ({
  id: `subnet-${letter}`,
  availability_zone: `${region}${letter}`,
  cidr_block: `10.0.${index}.0/24`,
}));
const entry = (name: string) => ({ principalArn: `arn:aws:iam::123456789012:role/${name}`, policy: "view" });
const first = { provisioner: "direct", version: "1.34", workers: 2, aws: { accessEntries: [entry("one")] } };

/** EKS clusters. */
export const directAws: DirectCloud = {
  cloud: "aws",
  title: "EKS clusters",
  region,
  describeNetwork: () => ({
    records: [
      { type: "aws_vpc", id: "vpc-1", attributes: { id: "vpc-1", region, cidr_block: "10.0.0.0/16" } },
      ...zones.map((zone) => ({ type: "aws_subnet", id: zone.id, attributes: { ...zone, region, vpc_id: "vpc-1" } })),
    ],
    network: {
      kind: "Network",
      uid: "n",
      name: "net",
      spec: { region },
      outputs: { network_id: "vpc-1", private_subnet_ids: zones.map(({ id }) => id) },
    },
  }),
  specs: {
    first,
    updated: { ...first, workers: 3, aws: { accessEntries: [entry("one"), entry("two")] } },
    replaced: { ...first, instanceType: "m6i.large" },
    invalid: { ...first, aws: { rolePath: "/a/" } },
  },
  poolType: "aws_eks_node_group",
  disturbPool(attributes) {
    const [scaling] = attributes["scaling_config"] as readonly Json[];
    return { ...attributes, scaling_config: [{ ...objectOf(scaling), max_size: 9 }] };
  },
  // EKS identifies node groups by name, so a new group has the same id as the group that it replaced.
  renewedBy: "instance_types",
};
