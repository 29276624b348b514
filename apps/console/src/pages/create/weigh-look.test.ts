import { expect, test } from "vitest";
import { allowsCreation, listFindings } from "./weigh-look.ts";

type Found = Parameters<typeof allowsCreation>[0];
const clear: Found = { state: "done", status: { findings: [] }, error: undefined, isSlow: false };
const warned: Found = { ...clear, status: { findings: [{ field: "spec.nat", severity: "should", message: "costs" }] } };
const hindered: Found = { ...clear, status: { findings: [{ field: "spec.cidr", severity: "must", message: "taken" }] } };

test("X013 what stands in the way keeps a form from creating, a warning does not", () => {
  expect([clear, warned, hindered].map(allowsCreation)).toEqual([true, true, false]);
});

test("X013 a check that cannot be made, or takes long, keeps nobody from creating; one that goes on does", () => {
  const busy: Found = { ...clear, state: "busy", status: undefined };
  expect([busy, { ...busy, isSlow: true }, { ...clear, state: "failed" }].map(allowsCreation)).toEqual([false, true, true]);
  // Of a look that has not ended nothing counts.
  expect(listFindings({ ...hindered, state: "busy" })).toEqual([]);
});
