import { expect, test } from "vitest";
import { buildGraph, keyOf, readableType } from "./build-graph.ts";
import type { ResourceProgress } from "./resource-progress.ts";

const of = (address: string, state: ResourceProgress["state"] = "WAITING", action = "create"): ResourceProgress => ({
  address,
  type: "aws_x",
  action,
  state,
  doing: action,
});

test("M077 X015 instances of a resource form one node with the most severe or most active state", () => {
  const { nodes } = buildGraph(
    [
      of('aws_x.a["1"]', "DONE"),
      of('aws_x.a["2"]'),
      of("aws_x.b[0]", "FAILED"),
      of("aws_x.b[1]", "RUNNING"),
      of("module.m.aws_x.c"),
    ],
    [],
  );
  expect(nodes.map(({ address, state, instances, module, name }) => [address, state, instances.length, module, name])).toEqual([
    ["aws_x.a", "RUNNING", 2, "", "a"],
    ["aws_x.b", "FAILED", 2, "", "b"],
    ["module.m.aws_x.c", "WAITING", 1, "m", "c"],
  ]);
});

test("M077 edges lead from dependencies to dependents, and in reverse for deletions", () => {
  const dependencies = [{ address: "aws_x.b", needs: ["aws_x.a", "aws_x.unheard"] }];
  const edges = (action: string) =>
    buildGraph([of("aws_x.a", "WAITING", action), of("aws_x.b[0]", "WAITING", action)], dependencies).edges;
  expect(edges("create")).toEqual([{ from: "aws_x.a", to: "aws_x.b" }]);
  expect(edges("delete")).toEqual([{ from: "aws_x.b", to: "aws_x.a" }]);
});

test("M077 keys and types are rendered for people", () => {
  expect(keyOf('module.p["a.b"].aws_x.y[3]')).toBe("a.b 3");
  expect(readableType("aws_route_table_association")).toBe("route table association");
});
