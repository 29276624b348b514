import fc from "fast-check";
import { expect, test } from "vitest";
import { describeEvent } from "./describe-event.ts";
import { parseEvent } from "./parse-event.ts";
import { readTextDiagnostics } from "./text-diagnostics.ts";

const event = (type: string, rest: object) => parseEvent(JSON.stringify({ "@message": "m", type, ...rest }));
const resource = { addr: "module.a.x_y.z[0]", resource_type: "x_y" };

test("M077 each resource event says which resource, which action and how long it took", () => {
  const step = { address: "module.a.x_y.z[0]", resourceType: "x_y" };
  expect(event("apply_start", { hook: { resource, action: "create" } })).toEqual({ type: "started", ...step, action: "create" });
  expect(event("apply_progress", { hook: { resource, action: "update", elapsed_seconds: 10 } })).toEqual({
    type: "progress",
    ...step,
    action: "update",
    seconds: 10,
  });
  expect(event("apply_complete", { hook: { resource, action: "delete", id_value: "i-1", elapsed_seconds: 3 } })).toEqual({
    type: "finished",
    ...step,
    action: "delete",
    id: "i-1",
    seconds: 3,
  });
  expect(event("apply_errored", { hook: { resource, action: "read" } })).toMatchObject({ type: "failed", action: "read" });
  expect(event("refresh_complete", { hook: { resource } })).toEqual({ type: "refreshed", ...step });
  expect(event("planned_change", { change: { resource, action: "replace", reason: "tainted" } })).toEqual({
    type: "planned",
    ...step,
    action: "replace",
    reason: "tainted",
  });
  expect(event("resource_drift", { change: { resource, action: "update" } })).toMatchObject({ type: "drift", action: "update" });
  expect(event("planned_change", { change: { resource, action: "brand-new" } })).toMatchObject({ action: "other" });
});

test("M070 the outputs event contains names and sensitivity, never values", () => {
  const outputs = { a: { sensitive: true, type: "string", value: "canary" }, b: { sensitive: false, value: "canary" } };
  const read = event("outputs", { outputs });
  expect(read).toEqual({ type: "outputs", outputs: { a: { sensitive: true }, b: { sensitive: false } } });
});

test("M053 a diagnostic carries summary, detail, file, line and resource", () => {
  const diagnostic = {
    severity: "error",
    summary: "no",
    detail: "not at all",
    address: "x_y.z",
    range: { filename: "a.tf", start: { line: 3, column: 5 } },
    snippet: { code: "  b = c" },
  };
  expect(event("diagnostic", { diagnostic })).toEqual({
    type: "diagnostic",
    diagnostic: {
      severity: "error",
      summary: "no",
      detail: "not at all",
      address: "x_y.z",
      file: "a.tf",
      line: 3,
      column: 5,
      code: "b = c",
    },
  });
});

test("M053 diagnostics are found in text output too", () => {
  const text =
    "╷\n│ Warning: old\n│ \n│ use the new\n╵\n╷\n│ Error: Invalid thing\n│ \n│   with x_y.z,\n│   on main.tf line 7, in resource:\n│    7: a\n│ \n│ It is not.\n╵\n";
  expect(readTextDiagnostics(text)).toMatchObject([
    { severity: "warning", summary: "old", detail: "use the new" },
    { severity: "error", summary: "Invalid thing", address: "x_y.z", file: "main.tf", line: 7 },
  ]);
  expect(readTextDiagnostics("all is well")).toEqual([]);
});

test("M060 no line makes the parser fail, and every event can be rendered", () => {
  const types = fc.constantFrom(
    "version",
    "apply_start",
    "outputs",
    "change_summary",
    "diagnostic",
    "planned_change",
    "log",
    "x",
  );
  const anything = fc
    .record({ type: types }, { requiredKeys: ["type"] })
    .chain((base) =>
      fc
        .dictionary(
          fc.constantFrom("hook", "change", "changes", "outputs", "diagnostic", "ui", "@message", "@timestamp"),
          fc.jsonValue(),
        )
        .map((more) => ({ ...more, ...base })),
    );
  fc.assert(
    fc.property(fc.oneof(anything, fc.jsonValue()), (value) => {
      const read = parseEvent(JSON.stringify(value));
      expect(read === undefined || typeof describeEvent(read) === "string").toBe(true);
    }),
  );
  expect(parseEvent("")).toBeUndefined();
  expect(parseEvent("{")).toBeUndefined();
});
