import { encode } from "@msgpack/msgpack";
import fc from "fast-check";
import { expect, test } from "vitest";
import { dynamicValue } from "../wire/plugin-messages.ts";
import { decodeJson, decodeValue, encodeValue } from "./codec.ts";
import { isSame } from "./compare.ts";
import { normalizeNumber } from "./number.ts";
import { hasUnknown, unknown, type Value, type ValueType } from "./value.ts";

const person: ValueType = ["object", { name: "string", age: "number", tags: ["set", "string"], more: ["map", "bool"] }];

function read(type: ValueType, hex: string): Value {
  return decodeValue(type, { msgpack: Buffer.from(hex, "hex"), json: Buffer.alloc(0) });
}

function travel(type: ValueType, value: Value): Value {
  return decodeValue(type, dynamicValue.decode(dynamicValue.encode(encodeValue(type, value))));
}

test("an unknown value is written as extension 0 and read from any extension", () => {
  expect(Buffer.from(encodeValue("string", unknown).msgpack).toString("hex")).toBe("d40000");
  expect(read("string", "d40000")).toBe(unknown);
  // Extension 12 is an unknown value with refinements. The refinement here says that the value is not null.
  expect(read(person, "c7030c8101c2")).toBe(unknown);
  expect(travel(["list", "string"], ["a", unknown])).toEqual(["a", unknown]);
  expect(hasUnknown({ a: [{ b: unknown }] })).toBe(true);
  expect(hasUnknown({ a: [{ b: null }] })).toBe(false);
});

test("numbers are written as decimal text", () => {
  expect(Buffer.from(encodeValue("number", 1500).msgpack)).toEqual(Buffer.from(encode("1500")));
  expect(Buffer.from(encodeValue(["list", "number"], [-1, "0.1"]).msgpack)).toEqual(Buffer.from(encode(["-1", "0.1"])));
});

test("numbers are read from integers, doubles and text without losing a digit", () => {
  expect(read("number", "cd05dc")).toBe(1500);
  expect(read("number", "cf0020000000000001")).toBe("9007199254740993");
  expect(read("number", "cb3ff8000000000000")).toBe("1.5");
  expect(read("number", "cb4450000000000000")).toBe("1180591620717411303424");
  expect(read("number", Buffer.from(encode("0.30000000000000004")).toString("hex"))).toBe("0.30000000000000004");
  expect(decodeJson(["list", "number"], "[1, 9007199254740993, 0.1, 1e25, -2.50]")).toEqual([
    1,
    "9007199254740993",
    "0.1",
    "10000000000000000000000000",
    "-2.5",
  ]);
  expect(decodeJson("string", '"9007199254740993 \\" 0.1"')).toBe('9007199254740993 " 0.1');
});

test("a number has one form, regardless of how it is written", () => {
  for (const text of ["1200", "1200.0", "1.2e3", "12E+2", "0.0012e6", "+1200"]) expect(normalizeNumber(text)).toBe(1200);
  for (const text of ["0.05", "5e-2", "00.050"]) expect(normalizeNumber(text)).toBe("0.05");
  expect(normalizeNumber(-0)).toBe(0);
  expect(normalizeNumber("-0.0")).toBe(0);
  for (const bad of ["", "1.", "0x10", "ten", "1e99999999", "Infinity", NaN, Infinity]) {
    expect(() => normalizeNumber(bad)).toThrow(expect.objectContaining({ code: "simulator.bad_value" }));
  }
});

test("every double keeps its exact value in a stable form", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
      const form = normalizeNumber(double);
      expect(Number(form)).toBe(double + 0);
      expect(normalizeNumber(form)).toBe(form);
    }),
  );
});

test("missing attributes of an object become null, and unknown ones are dropped", () => {
  expect(decodeJson(person, '{"name":"a","other":1}')).toEqual({ name: "a", age: null, tags: null, more: null });
});

test("a value of dynamic type keeps its own type in transit", () => {
  const dynamic: Value = { type: ["object", { a: ["tuple", ["number", "string"]] }], value: { a: ["0.1", "x"] } };
  expect(travel("dynamic", dynamic)).toEqual(dynamic);
  expect(decodeJson("dynamic", JSON.stringify({ type: ["list", "number"], value: [1] }))).toEqual({
    type: ["list", "number"],
    value: [1],
  });
});

test("text is normalised to its composed form", () => {
  expect(decodeJson("string", JSON.stringify("e\u0301"))).toBe("\u00e9");
});

test.each([
  ["string", "1"],
  ["bool", '"true"'],
  ["number", '"ten"'],
  [["list", "string"], '{"a":"b"}'],
  [["map", "string"], '["b"]'],
  [person, '"text"'],
] as [ValueType, string][])("a value that is not of type %j is refused", (type, json) => {
  expect(() => decodeJson(type, json)).toThrow(expect.objectContaining({ code: "simulator.bad_value" }));
});

test("decoding restores every encoded value", () => {
  const value: fc.Arbitrary<Value> = fc.record({
    name: fc.oneof(fc.string(), fc.constant(null), fc.constant<Value>(unknown)),
    age: fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null)),
    tags: fc.uniqueArray(fc.string()),
    more: fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      fc.boolean(),
      { noNullPrototype: true },
    ),
  });
  fc.assert(
    fc.property(value, (given) => {
      const once = travel(person, given);
      expect(travel(person, once)).toEqual(once);
    }),
  );
});

test("the order of elements matters in a list, but not in a set", () => {
  expect(isSame(["set", "string"], ["a", "b"], ["b", "a"])).toBe(true);
  expect(isSame(["list", "string"], ["a", "b"], ["b", "a"])).toBe(false);
  const nested: ValueType = ["set", ["object", { ports: ["set", "number"], name: "string" }]];
  expect(isSame(nested, [{ ports: [1, 2], name: "a" }], [{ name: "a", ports: [2, 1] }])).toBe(true);
  expect(isSame(nested, [{ ports: [1, 2], name: "a" }], [{ name: "b", ports: [2, 1] }])).toBe(false);
  expect(isSame("string", unknown, "unknown")).toBe(false);
  expect(isSame(["list", "string"], [unknown], [null])).toBe(false);
});
