import { expect, test } from "vitest";
import { namedFields, parseFilter } from "./filter.ts";

const fields = namedFields(["state", "type"]);

test("M001 white space around the parts of a comparison does not count", () => {
  expect(parseFilter(" state = ready , type!= a b ", fields)).toEqual([
    { path: ["state"], equal: true, value: "ready" },
    { path: ["type"], equal: false, value: "a b" },
  ]);
  expect(parseFilter("state==", fields)).toEqual([{ path: ["state"], equal: true, value: "" }]);
});

test.each([
  ["before a line break", `state=${" ".repeat(100_000)}x\ny`],
  ["before the operator", `state${" ".repeat(100_000)}x`],
])("X063 a filter full of white space %s is refused and does not block the server", (_where, text) => {
  expect(() => parseFilter(text, fields)).toThrow(expect.objectContaining({ code: "api.bad_filter" }) as Error);
});
