import { expect, test } from "vitest";
import { attribute, diagnostic, dynamicValue, planResourceChange } from "./plugin-messages.ts";
import { bool, bytes, message, nested, presentVarint, repeated, text, varint } from "./protobuf.ts";

const spaced = (hex: string): string => hex.replaceAll(" ", "");
const inner = message({ name: text(1), place: presentVarint(3) });
const outer = message({ id: varint(1), is: bool(2), raw: bytes(4), one: nested(5, inner), many: repeated(16, inner) });

test("a message is encoded exactly as the wire format specifies", () => {
  const written = outer.encode({ id: 300, is: true, raw: Uint8Array.of(1, 2), one: { name: "é" }, many: [{}, { place: 0 }] });
  expect(written.toString("hex")).toBe(spaced("08ac02 1001 22020102 2a04 0a02c3a9 820100 820102 1800"));
});

test("decoding restores an encoded message", () => {
  const value = {
    id: 2 ** 40,
    is: true,
    raw: Buffer.from("x"),
    one: { name: "a", place: 7 },
    many: [{ name: "b", place: undefined }],
  };
  expect(outer.decode(outer.encode({ ...value, many: [{ name: "b" }] }))).toEqual(value);
});

test("absent fields decode to empty, false or zero, and zero is not encoded", () => {
  expect(outer.encode({ id: 0, is: false, raw: Buffer.alloc(0), many: [] })).toHaveLength(0);
  expect(outer.decode(Buffer.alloc(0))).toEqual({ id: 0, is: false, raw: Buffer.alloc(0), one: undefined, many: [] });
});

test("unknown fields are skipped, whatever their wire type", () => {
  const unknownFields = spaced("f80105 f9010102030405060708 fa0102aabb fd0101020304");
  expect(outer.decode(Buffer.from(`${unknownFields}0807`, "hex")).id).toBe(7);
});

test.each([
  ["an unterminated number", "0880"],
  ["a field longer than its message", "2205aa"],
  ["an unknown wire type", "0f"],
  ["a number with more than 64 bits", `08${"ff".repeat(11)}`],
])("%s is rejected", (_what, hex) => {
  expect(() => outer.decode(Buffer.from(hex, "hex"))).toThrow(expect.objectContaining({ code: "simulator.bad_message" }));
});

test("the field numbers match the plug-in protocol", () => {
  expect(dynamicValue.encode({ msgpack: Uint8Array.of(0xc0) }).toString("hex")).toBe("0a01c0");
  const written = diagnostic.encode({
    severity: 1,
    summary: "s",
    attribute: { steps: [{ attribute_name: "a" }, { element_key_int: 0 }] },
  });
  expect(written.toString("hex")).toBe(spaced("0801 120173 2209 0a030a0161 0a021800"));
  expect(attribute.encode({ name: "n", sensitive: true, write_only: true }).toString("hex")).toBe(spaced("0a016e 3801 5801"));
  const planned = planResourceChange.response.encode({
    planned_state: { msgpack: Uint8Array.of(0xc0) },
    legacy_type_system: true,
  });
  expect(planned.toString("hex")).toBe(spaced("0a030a01c0 2801"));
});
