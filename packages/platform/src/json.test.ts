import { expect, test } from "vitest";
import {
  findNumber,
  findText,
  getAt,
  isObject,
  listOf,
  numberOf,
  objectOf,
  parseJson,
  textAt,
  textOf,
  textsOf,
  type Json,
} from "./json.ts";

test("invalid JSON parses to undefined", () => {
  expect(parseJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect([parseJson("null"), parseJson(""), parseJson("{")]).toEqual([null, undefined, undefined]);
});

test("a value of a different type reads as the empty value", () => {
  for (const value of [undefined, null, true]) {
    expect(objectOf(value)).toEqual({});
    expect([listOf(value), textOf(value), numberOf(value), textsOf(value)]).toEqual([[], "", 0, []]);
    expect([findText(value), findNumber(value)]).toEqual([undefined, undefined]);
  }
  expect([isObject({}), isObject([]), isObject(null)]).toEqual([true, false, false]);
  expect(objectOf([1] as Json)).toEqual({});
});

test("a value of the right type is returned unchanged", () => {
  const object = { a: 1 };
  expect(objectOf(object)).toBe(object);
  expect([textOf("a"), numberOf(-1), textsOf(["a", 1, "b"])]).toEqual(["a", -1, ["a", "b"]]);
  expect([findText("a"), findText(""), findNumber(0)]).toEqual(["a", undefined, 0]);
});

test("a path is resolved through own object keys only", () => {
  const tree: Json = { spec: { region: "eu-west-1", zones: ["a"] } };
  expect(getAt(tree, ["spec", "zones"])).toEqual(["a"]);
  expect(getAt(tree, ["spec", "zones", "0"])).toBeUndefined();
  expect(getAt(tree, ["spec", "constructor"])).toBeUndefined();
  expect([textAt(tree, "spec", "region"), textAt(tree, "spec", "zones"), textAt(undefined, "spec")]).toEqual([
    "eu-west-1",
    "",
    "",
  ]);
});
