import { expect, test } from "vitest";
import { readMasked } from "./changes.ts";

/** Returns the violations of a mask. */
function refusalsOf(mask: readonly string[]): readonly { readonly field: string; readonly message: string }[] {
  try {
    readMasked("Network", {}, mask);
  } catch (error) {
    return (error as { readonly fields: readonly { readonly field: string; readonly message: string }[] }).fields;
  }
  return [];
}

test("a masked field takes the sent value, and is cleared if it was not sent", () => {
  const { sent, change } = readMasked("Network", { spec: { nat: "none", cidr: "10.1.0.0/16" } }, [
    "spec.nat",
    "spec.aws.flowLogs",
  ]);
  expect(sent).toEqual({ spec: { nat: "none", cidr: "10.1.0.0/16", aws: { flowLogs: null } } });
  const current = { metadata: { name: "a" }, spec: { nat: "single", cidr: "10.0.0.0/16", aws: { flowLogs: true } } };
  expect(change(current)).toEqual({ metadata: { name: "a" }, spec: { nat: "none", cidr: "10.0.0.0/16", aws: {} } });
});

test.each([
  ["a field with 100,000 segments", [`spec${".a".repeat(100_000)}`], "must not contain a field with more than 512 characters"],
  ["300,000 fields", Array.from({ length: 300_000 }, () => "spec.a"), "must contain at most 256 fields, but contains 300000"],
])("X063 a field mask with %s is rejected before it is processed", (_what, mask, message) => {
  expect(refusalsOf(mask)).toEqual([{ field: "updateMask", message }]);
});

test("X063 at most 100 unknown fields of a mask are reported", () => {
  expect(refusalsOf(Array.from({ length: 256 }, (_, index) => `spec.none${index}`))).toHaveLength(100);
});
