import { expect, test } from "vitest";
import { compareVersions, parseVersionRange } from "./version.ts";

test("M068 ranges accept the same versions as in Terraform", () => {
  const cases: [string, string[], string[]][] = [
    ["1.11.4", ["1.11.4"], ["1.11.3", "1.11.5", "1.11.4-rc1"]],
    ["= 1.11.4", ["1.11.4"], ["1.11.5"]],
    ["~> 1.9", ["1.9.0", "1.11.4"], ["1.8.9", "2.0.0"]],
    ["~> 1.9.2", ["1.9.2", "1.9.9"], ["1.9.1", "1.10.0"]],
    ["~> 1", ["1.0.0", "1.9.0"], ["2.0.0"]],
    [">= 1.6, < 2.0, != 1.7.0", ["1.6.0", "1.11.4"], ["1.5.9", "2.0.0", "1.7.0", "1.8.0-beta1"]],
    ["> 1.6.0", ["1.6.1"], ["1.6.0"]],
    ["<= 1.6", ["1.6.0", "0.12.31"], ["1.6.1"]],
    ["1.12.0-rc2", ["1.12.0-rc2"], ["1.12.0-rc1", "1.12.0"]],
  ];
  for (const [range, inside, outside] of cases) {
    const { has } = parseVersionRange(range);
    expect([range, inside.filter(has), outside.filter(has)]).toEqual([range, inside, []]);
  }
});

test("M068 versions are ordered numerically, with pre-releases before their release", () => {
  const ordered = ["0.15.5", "1.0.0-alpha1", "1.0.0-rc2", "1.0.0-rc10", "1.0.0", "1.9.8", "1.10.0", "2.0.0"];
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered);
});

test("M068 input that is neither a version nor a range causes a fault", () => {
  for (const text of ["", "latest", ">=", "1.2.3.4", "~> x", "1.2.3,", "../1.2.3", "=> 1.2", "1.2.3 || 2"]) {
    expect(() => parseVersionRange(text)).toThrow(expect.objectContaining({ code: "terraform.bad_version" }));
  }
});
