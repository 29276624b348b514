import { renderFingerprint } from "../engine/fingerprint.ts";
import { pickOutputs } from "../engine/outputs.ts";
import type { KindPlan } from "../engine/phase.ts";
import { createApplyPhase } from "../phases/apply-plan.ts";
import { createApprovalPhase } from "../phases/approval.ts";
import { childrenGone } from "../phases/children-gone.ts";
import { createDestroyPhase } from "../phases/destroy.ts";
import { parentsReady } from "../phases/parents-ready.ts";
import { createPlanPhase } from "../phases/plan-run.ts";
import { policyAllows } from "../phases/policy-allows.ts";
import { createTaskPhase } from "../phases/run-task.ts";

/** Storage: its cluster, a look ahead, then one run: planned, approved where that is needed, applied. */
export const storagePlan: KindPlan = {
  word: "storage",
  creation: [
    parentsReady,
    createTaskPhase({ name: "preflight", condition: "PreflightPassed", weight: 1, type: "storage.preflight", lane: "short" }),
    policyAllows,
    createPlanPhase("storage", 2),
    createApprovalPhase("storage"),
    createApplyPhase("storage", 8),
  ],
  deletion: [childrenGone, createDestroyPhase("storage")],
  fingerprint: renderFingerprint,
  checked: true,
  readStatus: pickOutputs({ resourceId: "text", arn: "text", domainName: "text" }),
};
