import type { ResourceChange } from "@cloudwright/terraform";
import { expect, test } from "vitest";
import { findDrift } from "./find-drift.ts";

const change = (address: string, ...paths: (string | number)[][]): ResourceChange => {
  const [resourceType = "", name = ""] = address.split(/[.[]/);
  const changedPaths = paths.map((path) => ({ path, before: "old", after: "new", isSensitive: false, isUnknown: false }));
  const rest = { mode: "managed", provider: "", replacePaths: [], isCreatedFirst: false, before: null, after: null } as const;
  return { address, resourceType, name, action: "update", changedPaths, ...rest };
};

test("M042 drift is told by resource and attribute, without values, the first few of it in words", () => {
  expect(findDrift([], [])).toEqual({ drifted: false, summary: "", items: [], ignored: 0 });
  const found = findDrift([change("a.b", ["tags", "x"], ["size"]), { ...change("a.c"), action: "delete" }], []);
  expect(found).toEqual({
    drifted: true,
    summary: "a.b: tags, size changed; a.c is gone",
    items: [
      { address: "a.b", resourceType: "a", action: "update", paths: ['tags["x"]', "size"] },
      { address: "a.c", resourceType: "a", action: "delete", paths: [] },
    ],
    ignored: 0,
  });
  expect(JSON.stringify(found)).not.toContain("new");
  expect(
    findDrift(
      Array.from({ length: 7 }, (_, index) => change(`a.n${index}`, ["x"])),
      [],
    ).summary,
  ).toMatch(/; and 2 more$/);
});

test("X033 what a rule leaves to others is counted, not told; what is gone is told all the same", () => {
  const rules = [{ address: "a.*", path: "tags" }];
  const all = [
    change("a.b", ["tags", "x"], ["size"]),
    change("a.c", ["tags", "y"]),
    { ...change("a.d"), action: "delete" as const },
  ];
  expect(findDrift(all, rules)).toMatchObject({
    drifted: true,
    ignored: 2,
    items: [
      { address: "a.b", paths: ["size"] },
      { address: "a.d", action: "delete" },
    ],
  });
  expect(findDrift([change("a.b", ["tags", "x"])], rules)).toMatchObject({ drifted: false, ignored: 1 });
});
