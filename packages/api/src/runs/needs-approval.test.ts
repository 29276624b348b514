import { expect, test } from "vitest";
import { needsApproval } from "./needs-approval.ts";

const always = { infra: { approval: "always" } };
const finding = (severity: "must" | "should") => ({ rule: "keep-data", severity, message: "", path: "", fix: "", error: false });

test.each([
  ["a plan that a policy denies", {}, { delete: 1 }, [finding("must")], true],
  ["a plan that a policy only warns about", {}, { update: 1 }, [finding("should")], false],
  ["a plan without findings", {}, { create: 3 }, [], false],
  ["any change to an entity that requires approval", always, { update: 1 }, [], true],
  ["a plan without changes", always, { update: 0 }, [], false],
] as const)("X032 approval is decided for %s", (_what, spec, counts, findings, needed) => {
  expect(needsApproval(spec, { counts }, findings as never)).toBe(needed);
});
