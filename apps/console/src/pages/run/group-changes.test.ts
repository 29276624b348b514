import { expect, test } from "vitest";
import { groupChanges } from "./group-changes.ts";

test("M077 a plan is grouped by module, what can hurt most first, what stays is left out", () => {
  const changes = [
    { address: "aws_vpc.this", action: "none" },
    { address: "aws_subnet.b", action: "create" },
    { address: "aws_subnet.a", action: "create" },
    { address: "aws_eip.nat", action: "update" },
    { address: 'module.pool["a.b"].aws_instance.x', action: "replace" },
    { address: 'module.pool["a.b"].aws_instance.y', action: "create" },
    { address: "module.dns.module.zone[0].aws_route53_zone.z", action: "delete" },
  ];
  expect(groupChanges(changes).map(({ module, changes: list }) => [module, list.map(({ address }) => address)])).toEqual([
    ['module.pool["a.b"]', ['module.pool["a.b"].aws_instance.x', 'module.pool["a.b"].aws_instance.y']],
    ["module.dns.module.zone[0]", ["module.dns.module.zone[0].aws_route53_zone.z"]],
    ["", ["aws_eip.nat", "aws_subnet.a", "aws_subnet.b"]],
  ]);
});
