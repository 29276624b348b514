import { getMethod } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { parseQuery, queryFields } from "./query.ts";

const fields = queryFields(getMethod("Network", "update").descriptor.input, new Set());

test("M002 a list is one parameter with commas between its values", () => {
  expect(parseQuery(fields, { allow: "replace,delete" })).toEqual({ allow: ["replace", "delete"] });
});

test("M002 a list that is given twice is rejected, and the message says how to write it", () => {
  expect(() => parseQuery(fields, { allow: ["replace", "delete"] })).toThrow(
    'query parameter "allow" must be given only once, with commas between its values',
  );
});
