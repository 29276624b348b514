import { renderFingerprint } from "../engine/fingerprint.ts";
import { pickOutputs } from "../engine/outputs.ts";
import type { Lifecycle } from "../engine/step.ts";
import { createApplyStep } from "../steps/apply-plan.ts";
import { createApprovalStep } from "../steps/approval.ts";
import { referrersGone } from "../steps/referrers-gone.ts";
import { createDestroyStep } from "../steps/destroy.ts";
import { referencesReady } from "../steps/references-ready.ts";
import { createPlanStep } from "../steps/plan-run.ts";
import { policyAllows } from "../steps/policy-allows.ts";
import { createTaskStep } from "../steps/run-task.ts";

/** Builds a security group: waits for its network, runs preflight checks, plans, waits for approval if required, and applies. */
export const securityGroupLifecycle: Lifecycle = {
  service: "securitygroup",
  creation: [
    referencesReady,
    createTaskStep({
      name: "preflight",
      condition: "PreflightPassed",
      weight: 1,
      type: "securitygroup.preflight",
      lane: "short",
    }),
    policyAllows,
    createPlanStep("securitygroup", 2),
    createApprovalStep("securitygroup"),
    createApplyStep("securitygroup", 8),
  ],
  deletion: [referrersGone, createDestroyStep("securitygroup")],
  fingerprint: renderFingerprint,
  checked: true,
  readStatus: pickOutputs({ groupId: "text" }),
};
