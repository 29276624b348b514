import { expect, test } from "vitest";
import { listChangedPaths } from "./changed-paths.ts";
import { parsePlan } from "./plan.ts";

const change = (actions: string[], rest: object = {}) => ({
  address: "x_y.z",
  mode: "managed",
  type: "x_y",
  name: "z",
  provider_name: "p",
  change: { actions, before: null, after: null, ...rest },
});
const plan = (rest: object) => parsePlan(JSON.stringify({ format_version: "1.2", terraform_version: "1.11.4", ...rest }));

test("M071 all actions are distinguished, including both orders of a replacement", () => {
  const lists = [
    ["no-op"],
    ["create"],
    ["read"],
    ["update"],
    ["delete"],
    ["delete", "create"],
    ["create", "delete"],
    ["forget"],
    ["new"],
    [],
  ];
  const { changes } = plan({ resource_changes: lists.map((actions) => change(actions)) }).plan;
  expect(changes.map(({ action }) => action)).toEqual([
    "none",
    "create",
    "read",
    "update",
    "delete",
    "replace",
    "replace",
    "forget",
    "other",
    "other",
  ]);
  expect(changes.map(({ isCreatedFirst }) => isCreatedFirst).indexOf(true)).toBe(6);
});

test("M064 sensitive values are masked everywhere in a plan and passed to the redactor", () => {
  const resource = change(["update"], {
    before: { password: "old-canary", deep: [{ key: "old-canary-2", open: 1 }], shape: "text" },
    after: { password: "new-canary", deep: [{ key: "old-canary-2", open: 2 }], shape: { inner: "new-canary-3" } },
    before_sensitive: { password: true, deep: [{ key: true }] },
    after_sensitive: { password: true, deep: [{ key: true }], shape: { inner: true } },
  });
  const read = plan({
    resource_changes: [resource],
    output_changes: { o: { actions: ["create"], after: "out-canary", after_sensitive: true } },
  });
  expect(JSON.stringify(read.plan)).not.toContain("canary");
  expect(read.secrets.toSorted()).toEqual(["new-canary", "new-canary-3", "old-canary", "old-canary-2", "out-canary"]);
  expect(read.plan.changes[0]?.changedPaths).toEqual([
    { path: ["password"], before: "[secret]", after: "[secret]", isSensitive: true, isUnknown: false },
    { path: ["deep", 0, "open"], before: 1, after: 2, isSensitive: false, isUnknown: false },
    { path: ["shape"], before: "text", after: "[secret]", isSensitive: true, isUnknown: false },
  ]);
});

test("X033 drift lists exactly the attributes that have changed", () => {
  const drifted = change(["update"], {
    before: { tags: { a: "1", b: "2" }, size: 1 },
    after: { size: 1, tags: { b: "3", a: "1" } },
  });
  const { drift } = plan({ resource_drift: [drifted] }).plan;
  expect(drift[0]?.changedPaths).toEqual([
    { path: ["tags", "b"], before: "2", after: "3", isSensitive: false, isUnknown: false },
  ]);
});

test("X033 unknown, added and removed values are changes", () => {
  const sides = { beforeMarks: undefined, afterMarks: undefined };
  const paths = listChangedPaths({
    ...sides,
    before: { id: "1", list: [1, 2] },
    after: { list: [1], more: "x" },
    unknown: { id: true },
  });
  expect(paths.map(({ path, before, after, isUnknown }) => [path.join("."), before, after, isUnknown])).toEqual([
    ["id", "1", null, true],
    ["list.1", 2, null, false],
    ["more", null, "x", false],
  ]);
  expect(listChangedPaths({ ...sides, before: { a: [{ b: null }] }, after: { a: [{}] }, unknown: {} })).toEqual([]);
});

test("X080 an unknown value is marked as computed only if the configuration does not set its attribute", () => {
  const updated = (address: string) => ({
    ...change(["update"], {
      before: { etag: "1", key: "a", rule: [{ port: 1 }], list: ["a"] },
      after: { rule: [{}] },
      after_unknown: { etag: true, key: true, rule: [{ port: true }], list: true },
    }),
    address,
  });
  const module = { resources: [{ address: "x_y.z", expressions: { key: { references: ["x_y.other.id"] } } }] };
  const read = plan({
    resource_changes: [updated('x_y.z["a"]'), updated("module.inner[0].x_y.z"), updated("x_y.gone")],
    configuration: { root_module: { ...module, module_calls: { inner: { module } } } },
  }).plan.changes;
  const computed = read.map(({ changedPaths }) => changedPaths.flatMap(({ path, isComputed }) => (isComputed ? path : [])));
  // Dynamic blocks are missing from a plan's configuration, so a nested value or a list may well be configured.
  expect(computed).toEqual([["etag"], ["etag"], []]);
});

test("M053 an interrupted plan is neither complete nor applicable, and an unknown format causes a fault", () => {
  expect(plan({ errored: true }).plan).toMatchObject({ isApplyable: false, isComplete: false });
  expect(plan({ applyable: false, complete: true }).plan).toMatchObject({ isApplyable: false, isComplete: true });
  for (const text of ["", "[]", '{"format_version":"2.0"}', "{}"]) {
    expect(() => parsePlan(text)).toThrow(expect.objectContaining({ code: "terraform.unexpected_output" }));
  }
});
