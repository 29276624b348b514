import { expect, test } from "vitest";
import { filterChanges, groupChanges, renderValue } from "./group-changes.ts";

test("M077 a plan is grouped by module with the most dangerous changes first and without unchanged resources", () => {
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

test("M077 a plan can be filtered by address, action and attribute, and by actions", () => {
  const changes = [
    { address: "aws_vpc.this", action: "update", attributes: [{ path: "tags.Team" }] },
    { address: "aws_subnet.a", action: "create" },
    { address: "aws_subnet.b", action: "replace" },
  ];
  const filter = (word: string, ...actions: string[]) =>
    filterChanges(changes, word, new Set(actions)).map(({ address }) => address);
  expect(filter("SUBNET ")).toEqual(["aws_subnet.a", "aws_subnet.b"]);
  expect(filter("team")).toEqual(["aws_vpc.this"]);
  expect(filter("", "replace", "update")).toEqual(["aws_vpc.this", "aws_subnet.b"]);
  expect(filter("subnet", "create")).toEqual(["aws_subnet.a"]);
});

test("M077 short values are rendered on one line, and JSON documents are parsed", () => {
  expect(renderValue("a")).toBe('"a"');
  expect(renderValue(null)).toBe("null");
  expect(renderValue({ a: [1] })).toBe('{"a":[1]}');
  expect(renderValue('{"a": 1}')).toBe('jsonencode({"a":1})');
  expect(renderValue("{no json")).toBe('"{no json"');
  expect(renderValue({ text: "x".repeat(80) })).toContain("\n");
});
