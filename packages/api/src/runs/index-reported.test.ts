import { expect, test } from "vitest";
import { indexReported } from "./index-reported.ts";
import { createWork } from "./work.ts";

const address = "aws_vpc.main";
const report = (paths: string[], action = "update") =>
  indexReported([{ address, resourceType: "aws_vpc", action, paths }], createWork());

test("X080 a report contains a change if it names the attribute, its parent or a part of it", () => {
  expect(report(["tags"])({ address, paths: ['tags["a"]'] })).toBe(true);
  expect(report(['tags["a"]'])({ address, paths: ["tags"] })).toBe(true);
  expect(report(["tags"])({ address, paths: ["tags", "cidr"] })).toBe(false);
  expect(report(["tags"])({ address: "aws_vpc.other", paths: ["tags"] })).toBe(false);
  expect(report([], "delete")({ address, paths: ["*"] })).toBe(true);
});

test("X080 a report contains combined attributes only if it names their parent", () => {
  const combined = { address, paths: ["tags"], combined: ["tags"] };
  expect(report(['tags["a"]'])(combined)).toBe(false);
  expect(report(["tags"])(combined)).toBe(true);
});
