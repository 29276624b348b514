import { expect, test } from "vitest";
import { allowsCreation, listFindings } from "./assess-probe.ts";

type Found = Parameters<typeof allowsCreation>[0];
const clear: Found = { state: "done", status: { findings: [] }, error: undefined, isSlow: false };
const warned: Found = { ...clear, status: { findings: [{ field: "spec.nat", severity: "should", message: "costs" }] } };
const hindered: Found = { ...clear, status: { findings: [{ field: "spec.cidr", severity: "must", message: "taken" }] } };

test("X013 an obstacle blocks creation, a warning does not", () => {
  expect([clear, warned, hindered].map(allowsCreation)).toEqual([true, true, false]);
});

test("X013 a failed or slow check does not block creation; a running one does", () => {
  const busy: Found = { ...clear, state: "busy", status: undefined };
  const failed: Found = { ...clear, state: "failed" };
  expect([busy, { ...busy, isSlow: true }, failed].map(allowsCreation)).toEqual([false, true, true]);
  // Findings are available only after the check has ended.
  expect(listFindings({ ...hindered, state: "busy" })).toEqual([]);
});
