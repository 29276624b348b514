import { expect, test } from "vitest";
import { renderJsonPath } from "./jsonpath.ts";

const list = {
  items: [
    { metadata: { name: "a", labels: { "x.io/tier": "prod" } }, status: { phase: "RUNNING" }, spec: { workers: 2 } },
    { metadata: { name: "b" }, status: { phase: "PENDING" } },
  ],
};

test.each([
  ["{.items[*].metadata.name}", "a b"],
  [".items[*].metadata.name", "a b"],
  ["{.items[0].metadata.name}", "a"],
  ["{.items[-1].metadata.name}", "b"],
  ["{$.items[0].spec.workers}", "2"],
  ["{.items[0].metadata.labels['x.io/tier']}", "prod"],
  ["{.items[0].metadata.labels.x\\.io/tier}", "prod"],
  ['{.items[?(@.status.phase=="RUNNING")].metadata.name}', "a"],
  ["{.items[?(@.status.phase!='RUNNING')].metadata.name}", "b"],
  ['{range .items[*]}{.metadata.name}={.status.phase}{"\\n"}{end}', "a=RUNNING\nb=PENDING\n"],
  ["names: {.items[*].metadata.name}!", "names: a b!"],
  ["{.items[0].spec}", '{"workers":2}'],
  ["{.items[*].spec.workers}", "2"],
  ["{.nothing.here}", ""],
  ["{.items[0].metadata.*}", 'a {"x.io/tier":"prod"}'],
])("M003 jsonpath %s", (template, text) => {
  expect(renderJsonPath(template, list)).toBe(text);
});

test.each(["{.items[*}", "{.items", "{range .items[*]}{.a}", "{.a}{end}", "{..name}"])(
  "M003 jsonpath %s is refused",
  (template) => {
    expect(() => renderJsonPath(template, list)).toThrowError(expect.objectContaining({ code: "cli.usage" }));
  },
);
