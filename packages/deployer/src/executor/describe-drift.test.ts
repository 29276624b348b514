import type { PlannedChange } from "./executor-plan.ts";
import { expect, test } from "vitest";
import { describeDrift } from "./describe-drift.ts";

const change = (address: string, ...paths: (string | number)[][]): PlannedChange => {
  const [resourceType = "", name = ""] = address.split(/[.[]/);
  const changedPaths = paths.map((path) => ({ path, before: "old", after: "new", isSensitive: false, isUnknown: false }));
  const rest = { mode: "managed", replacePaths: [], before: null, after: null } as const;
  return { address, resourceType, name, action: "update", changedPaths, ...rest };
};

const changed = (path: string) => ({ path, before: "old", after: "new", sensitive: false });

test("M042 X080 drift lists resources and attributes with old and new values, and a one-line summary", () => {
  expect(describeDrift([], [])).toEqual({ drifted: false, summary: "", items: [], ignored: 0 });
  const found = describeDrift([change("a.b", ["tags", "x"], ["size"]), { ...change("a.c"), action: "delete" }], []);
  expect(found).toEqual({
    drifted: true,
    summary: "a.b: tags, size changed; a.c no longer exists",
    items: [
      {
        address: "a.b",
        resourceType: "a",
        action: "update",
        paths: ['tags["x"]', "size"],
        attributes: [changed('tags["x"]'), changed("size")],
      },
      { address: "a.c", resourceType: "a", action: "delete", paths: [], attributes: [] },
    ],
    ignored: 0,
  });
  expect(
    describeDrift(
      Array.from({ length: 7 }, (_, index) => change(`a.n${index}`, ["x"])),
      [],
    ).summary,
  ).toMatch(/; and 2 more$/);
});

test("X033 ignored attributes are counted but not listed; a deleted resource is always listed", () => {
  const rules = [{ address: "a.*", path: "tags" }];
  const all = [
    change("a.b", ["tags", "x"], ["size"]),
    change("a.c", ["tags", "y"]),
    { ...change("a.d"), action: "delete" as const },
  ];
  expect(describeDrift(all, rules)).toMatchObject({
    drifted: true,
    ignored: 2,
    items: [
      { address: "a.b", paths: ["size"] },
      { address: "a.d", action: "delete" },
    ],
  });
  expect(describeDrift([change("a.b", ["tags", "x"])], rules)).toMatchObject({ drifted: false, ignored: 1 });
});

test("X080 sensitive values are masked, long ones are cut off, and the cloud's id is included", () => {
  const values = { before: "canary-1", after: "canary-2", isUnknown: false };
  const secret = {
    ...change("a.b"),
    changedPaths: [{ path: ["password"], ...values, isSensitive: true }],
    after: { id: "vpc-1" },
  };
  const found = describeDrift([secret], []);
  expect(found.items[0]).toMatchObject({
    id: "vpc-1",
    attributes: [{ path: "password", before: null, after: null, sensitive: true }],
  });
  expect(JSON.stringify(found)).not.toContain("canary");
  const long = {
    ...change("a.b"),
    changedPaths: [{ path: ["policy"], ...values, after: "x".repeat(50_000), isSensitive: false }],
  };
  expect(JSON.stringify(describeDrift([long], [])).length).toBeLessThan(2000);
});

test("X080 the values of very many changes are left out, but their paths are kept", () => {
  const wide = (address: string): PlannedChange => ({
    ...change(address),
    changedPaths: Array.from({ length: 300 }, (_, nth) => ({
      path: [`a${nth}`],
      before: "x".repeat(900),
      after: null,
      isSensitive: false,
      isUnknown: false,
    })),
  });
  const { items } = describeDrift(
    Array.from({ length: 50 }, (_, nth) => wide(`a.n${nth}`)),
    [],
  );
  expect(items.every(({ paths }) => paths.length === 300)).toBe(true);
  expect(JSON.stringify(items.map(({ attributes }) => attributes)).length).toBeLessThan(210_000);
  expect(items[0]?.attributes.length).toBeGreaterThan(0);
});
