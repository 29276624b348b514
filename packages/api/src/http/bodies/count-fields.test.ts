import { create, toBinary } from "@bufbuild/protobuf";
import { CreateEnvironmentRequestSchema } from "@cloudwright/contract/gen/cloudwright/v1/environment_pb.ts";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { countFields } from "./count-fields.ts";

const nullValue = { kind: { case: "nullValue", value: 0 } } as const;
const encode = (names: readonly string[]): Uint8Array =>
  toBinary(StructSchema, create(StructSchema, { fields: Object.fromEntries(names.map((name) => [name, nullValue])) }));

test("X063 the fields of an encoded message are counted at every level, including inside maps", () => {
  const labels = { a: "1", b: "2" };
  const request = create(CreateEnvironmentRequestSchema, { project: "p", entity: { metadata: { labels } } });
  // Counted: the message itself, the project, the entity, its metadata, and two map entries. An entry with a string value counts once.
  expect(countFields(CreateEnvironmentRequestSchema, toBinary(CreateEnvironmentRequestSchema, request), 1000)).toBe(6);
  // Each map entry has a key and a value, and the value has one field.
  expect(countFields(StructSchema, encode(["a", "b", "c"]), 1000)).toBe(13);
});

test("X063 counting stops once the limit is exceeded, and at malformed bytes", () => {
  expect(countFields(StructSchema, encode(Array.from({ length: 500 }, (_, nth) => `k${nth}`)), 100)).toBeLessThan(110);
  for (const bytes of [[0xff, 0xff, 0xff, 0x01], [0x0a, 0xff], [0x0b, 0x0b, 0x0b], []])
    expect(countFields(StructSchema, Uint8Array.from(bytes), 100)).toBeLessThan(10);
});
