import { expect, test } from "vitest";
import { awsNetwork } from "../network/aws.ts";
import { describeDrift, refusePrecious } from "./actions.ts";

const change = (address: string, ...paths: string[]) => ({
  address,
  action: "update" as const,
  changedPaths: paths.map((path) => ({ path: [path], before: null, after: null, isSensitive: false, isUnknown: false })),
});

test("M042 drift is told by resource and attribute, without values, the first few of it", () => {
  expect(describeDrift([])).toBe("");
  expect(describeDrift([change("a.b", "tags", "tags", "size"), { ...change("a.c"), action: "delete" }])).toBe(
    "a.b: tags, size changed; a.c is gone",
  );
  expect(describeDrift(Array.from({ length: 7 }, (_, index) => change(`a.${index}`, "x")))).toMatch(/; and 2 more$/);
});

test("X032 a plan that makes the network or a subnet anew is refused; subnets of a zone that goes may go", () => {
  const planned = (resourceType: string, action: "replace" | "delete" | "update") => [
    { address: `${resourceType}.x`, resourceType, action, replacePaths: [["cidr_block"]] },
  ];
  const refused = [planned("aws_vpc", "replace"), planned("aws_vpc", "delete"), planned("aws_subnet", "replace")];
  for (const changes of refused) {
    expect(() => refusePrecious(awsNetwork, changes)).toThrow(
      expect.objectContaining({ code: "deployer.would_replace", retry: "never" }),
    );
  }
  const allowed = [planned("aws_vpc", "update"), planned("aws_subnet", "delete"), planned("aws_route_table", "replace")];
  for (const changes of allowed) refusePrecious(awsNetwork, changes);
});
