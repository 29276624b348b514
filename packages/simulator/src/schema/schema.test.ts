import { expect, test } from "vitest";
import simSchema from "../sim/schema.json" with { type: "json" };
import { getProviderSchema } from "../wire/plugin-messages.ts";
import { encodeProviderSchema } from "./encode-schema.ts";
import { conform } from "./conform.ts";
import { parseSchema, printSchema, type CompactBlock } from "./compact-schema.ts";
import { readTerraformSchema } from "./terraform-schema.ts";
import { parseType, printType } from "./type-text.ts";

const parseOne = (of: CompactBlock) => parseSchema({ resources: { a: { of } } }).resources["a"]?.block;

test("printing a parsed schema file restores its content", () => {
  expect(printSchema(parseSchema(simSchema))).toEqual(simSchema);
});

test("the schema that Terraform prints for a provider becomes a schema file", () => {
  const printed = {
    provider: { version: 0, block: { attributes: { token: { type: "string", optional: true, sensitive: true } } } },
    resource_schemas: {
      left_out: { version: 0, block: {} },
      a_thing: {
        version: 3,
        block: {
          deprecated: true,
          attributes: {
            id: { type: "string", computed: true },
            key: { type: "string", required: true, write_only: true, deprecated: true },
            routes: { type: ["set", ["object", { to: "string", hops: ["list", "number"] }]], optional: true, computed: true },
            part: {
              nested_type: { nesting_mode: "map", attributes: { size: { type: "number", required: true } } },
              optional: true,
            },
          },
          block_types: {
            disk: {
              nesting_mode: "list",
              min_items: 1,
              max_items: 2,
              block: { attributes: { path: { type: "string", required: true } } },
            },
            group: { nesting_mode: "group", block: {} },
          },
        },
      },
    },
  } as const;
  expect(printSchema(readTerraformSchema(printed, { resources: ["a_thing"], dataSources: [] }))).toEqual({
    provider: { of: { token: "os string" } },
    resources: {
      a_thing: {
        version: 3,
        deprecated: true,
        of: {
          id: "c string",
          key: "rwd string",
          routes: "oc set(object({to=string,hops=list(number)}))",
          part: { is: "o map", of: { size: "r number" } },
          disk: { is: "block list", min: 1, max: 2, of: { path: "r string" } },
          group: { is: "block group", of: {} },
        },
      },
    },
    dataSources: {},
  });
  expect(() => readTerraformSchema(printed, { resources: ["a_missing"] })).toThrow(
    expect.objectContaining({ code: "simulator.bad_schema" }),
  );
});

test("types are written as in a configuration", () => {
  for (const text of [
    "string",
    "map(list(bool))",
    "tuple([string,number])",
    "object({a=string,b?=set(dynamic)})",
    "object({})",
  ]) {
    expect(printType(parseType(text, "x"))).toBe(text);
  }
  expect(parseType(" object( { a = string } ) ", "x")).toEqual(["object", { a: "string" }]);
});

test.each([
  "",
  "text",
  "list",
  "list(",
  "list(string",
  "list(string))",
  "object({a})",
  "object({a=string b=string})",
  "tuple(string)",
])('the type "%s" is rejected', (text) => {
  expect(() => parseOne({ x: `o ${text}` })).toThrow(expect.objectContaining({ code: "simulator.bad_schema" }));
});

test.each(["x string", "ro string", "rc string", "string", "s string", "ws string"])('the attribute "%s" is rejected', (text) => {
  expect(() => parseOne({ x: text })).toThrow(expect.objectContaining({ code: "simulator.bad_schema" }));
});

test("unknown nesting modes are rejected", () => {
  for (const is of ["block heap", "o group", "block", "list"]) {
    expect(() => parseOne({ x: { is, of: {} } })).toThrow(expect.objectContaining({ code: "simulator.bad_schema" }));
  }
});

test("a conformed record has exactly the attributes and blocks of its schema", () => {
  const block = parseOne({
    name: "r string",
    part: { is: "o single", of: { size: "o number" } },
    one: { is: "block single", of: { a: "o string" } },
    group: { is: "block group", of: { a: "o string" } },
    list: { is: "block list", of: { a: "o string" } },
    set: { is: "block set", of: { a: "o string" } },
    map: { is: "block map", of: { a: "o string" } },
  });
  if (block === undefined) throw new Error("no block");
  expect(conform(block, { other: 1, list: [{}], map: { k: {} } })).toEqual({
    name: null,
    part: null,
    one: null,
    group: { a: null },
    list: [{ a: null }],
    set: [],
    map: { k: { a: null } },
  });
  expect(conform(block, null)).toBeNull();
});

test("a provider without settings and a type without attributes are encoded too", () => {
  const empty = parseSchema({ resources: { a: { of: { b: { is: "block group", of: {} } } } } });
  const told = getProviderSchema.response.decode(encodeProviderSchema(empty));
  expect(Buffer.from(told.provider ?? "").toString("hex")).toBe("1200");
  expect(told.resource_schemas.map(({ key }) => key)).toEqual(["a"]);
  expect(Buffer.from(told.resource_schemas[0]?.value ?? "").toString("hex")).toBe("12091a070a016212001805");
});
