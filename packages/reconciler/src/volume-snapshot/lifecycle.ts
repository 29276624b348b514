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

/** Copies a volume: waits for the account, runs preflight checks, plans, waits for approval if required, and applies. */
export const volumeSnapshotLifecycle: Lifecycle = {
  service: "volumesnapshot",
  creation: [
    referencesReady,
    createTaskStep({
      name: "preflight",
      condition: "PreflightPassed",
      weight: 1,
      type: "volumesnapshot.preflight",
      lane: "short",
    }),
    policyAllows,
    createPlanStep("volumesnapshot", 2),
    createApprovalStep("volumesnapshot"),
    createApplyStep("volumesnapshot", 8),
  ],
  deletion: [referrersGone, createDestroyStep("volumesnapshot")],
  fingerprint: renderFingerprint,
  checked: true,
  readStatus: pickOutputs({ snapshotId: "text", sizeGib: "number", consistency: "text", capturedAt: "text" }),
};
