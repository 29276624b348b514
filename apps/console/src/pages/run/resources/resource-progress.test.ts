import { expect, test } from "vitest";
import { followResources, listLinesOf } from "./resource-progress.ts";

const change = (address: string, action = "create") => ({ address, resourceType: address.split(".")[0] ?? "", action });
const follow = (changes: ReturnType<typeof change>[], lines: readonly string[], attempt = 1) =>
  followResources(
    changes,
    lines.map((line, second) => ({ line, attempt, at: new Date(second * 1000).toISOString() })),
  );

test("M077 X015 resource states follow the log: planned, started, done, failed", () => {
  const changes = [
    change("aws_vpc.this"),
    change('aws_subnet.public["eu: west"]'),
    change("aws_eip.a"),
    change("data.x", "read"),
  ];
  const resources = follow(changes, [
    "version 1.11.4",
    "aws_vpc.this: create started",
    "aws_vpc.this: create finished after 0 s (vpc-1)",
    'aws_subnet.public["eu: west"]: create started',
    'aws_subnet.public["eu: west"]: create since 10 s',
    'aws_subnet.public["eu: west"]: create failed after 2 s',
    "module.a[0].aws_nat_gateway.b: delete started",
    "apply: 11 to add, 0 to change, 0 to remove, 0 to import",
  ]);
  expect(resources.map(({ address, type, state, startedAt, endedAt }) => [address, type, state, startedAt, endedAt])).toEqual([
    ["aws_vpc.this", "aws_vpc", "DONE", 1000, 2000],
    ['aws_subnet.public["eu: west"]', "aws_subnet", "FAILED", 3000, 5000],
    ["aws_eip.a", "aws_eip", "WAITING", undefined, undefined],
    ["module.a[0].aws_nat_gateway.b", "aws_nat_gateway", "RUNNING", 6000, undefined],
  ]);
});

test("M077 a replacement is done once both its deletion and its creation are", () => {
  const half = ["aws_db.x: delete started", "aws_db.x: delete finished after 1 s"];
  const whole = [...half, "aws_db.x: create started", "aws_db.x: create finished after 1 s"];
  const states = (lines: readonly string[]) =>
    follow([change("aws_db.x", "replace")], lines).map(({ state, doing }) => [state, doing]);
  expect(states(half)).toEqual([["RUNNING", "delete"]]);
  expect(states(whole)).toEqual([["DONE", "create"]]);
});

test("M077 a new attempt resets unfinished resources to waiting", () => {
  const lines = [
    { line: "aws_a.x: create started", attempt: 1 },
    { line: "aws_a.x: create finished after 0 s", attempt: 1 },
    { line: "aws_b.x: create started", attempt: 1 },
    { line: "aws_b.x: create failed after 0 s", attempt: 1 },
    { line: "version 1.11.4", attempt: 2 },
  ];
  const states = followResources([change("aws_a.x"), change("aws_b.x")], lines).map(({ state }) => state);
  expect(states).toEqual(["DONE", "WAITING"]);
});

test("M077 the log of a resource contains only the lines that name it", () => {
  const log = ["aws_a.x: create started", "aws_a.xy: create started", "error: aws_a.x: denied", "other"].map((line) => ({
    line,
  }));
  expect(listLinesOf("aws_a.x", log).map(({ line }) => line)).toEqual(["aws_a.x: create started", "error: aws_a.x: denied"]);
});
