import { expect, test } from "vitest";
import { followResources } from "./resource-progress.ts";

test("M077 X015 resources follow the log: planned, begun, done, failed", () => {
  const changes = [
    { address: "aws_vpc.this", resourceType: "aws_vpc", action: "create" },
    { address: 'aws_subnet.public["eu-west-1a"]', resourceType: "aws_subnet", action: "create" },
    { address: "aws_eip.a", resourceType: "aws_eip", action: "create" },
    { address: "data.x", resourceType: "x", action: "read" },
  ];
  const log = [
    "version 1.11.4",
    "aws_vpc.this: create started",
    "aws_vpc.this: create finished after 0 s (vpc-1)",
    'aws_subnet.public["eu-west-1a"]: create started',
    'aws_subnet.public["eu-west-1a"]: create failed after 2 s',
    "aws_nat_gateway.b: delete started",
    "apply: 11 to add, 0 to change, 0 to remove, 0 to import",
  ].map((line) => ({ line }));
  expect(followResources(changes, log).map(({ address, type, state }) => [address, type, state])).toEqual([
    ["aws_vpc.this", "aws_vpc", "DONE"],
    ['aws_subnet.public["eu-west-1a"]', "aws_subnet", "FAILED"],
    ["aws_eip.a", "aws_eip", "WAITING"],
    ["aws_nat_gateway.b", "aws_nat_gateway", "RUNNING"],
  ]);
});
