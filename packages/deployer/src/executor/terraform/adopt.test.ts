import { expect, test } from "vitest";
import { awsNetwork } from "../../network/aws/stack.ts";
import { createTestEntity } from "../../testing/test-task.ts";
import { listAdoptions } from "./adopt.ts";

test("X030 owned resources are matched to addresses by their tags, or by the resources that they name", () => {
  const vpc = { type: "aws_vpc", id: "vpc-1", part: "this", names: [] };
  const subnet = { type: "aws_subnet", id: "subnet-1", part: "public/eu-west-1a", names: ["vpc-1"] };
  const association = { type: "aws_route_table_association", id: "subnet-1/rtb-1", names: ["rtb-1", "subnet-1"] };
  const stranger = { type: "aws_eip_association", id: "x", names: ["vpc-1"] };
  const entity = createTestEntity("Network", { name: "net", spec: {} });
  const owned = [vpc, subnet, association, stranger];
  expect(listAdoptions(awsNetwork, owned, [vpc, subnet, association, stranger], () => [], entity)).toEqual([
    { address: "aws_vpc.this", id: "vpc-1" },
    { address: 'aws_subnet.public["eu-west-1a"]', id: "subnet-1" },
    { address: 'aws_route_table_association.public["eu-west-1a"]', id: "subnet-1/rtb-1" },
  ]);
  expect(listAdoptions(awsNetwork, owned, [association], () => [], entity)).toHaveLength(1);
});
