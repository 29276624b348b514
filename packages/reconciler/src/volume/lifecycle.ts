import { renderFingerprint } from "../engine/fingerprint.ts";
import { pickOutputs } from "../engine/outputs.ts";
import type { Linked } from "../engine/scope.ts";
import type { Lifecycle } from "../engine/step.ts";
import { createApplyStep } from "../steps/apply-plan.ts";
import { createApprovalStep } from "../steps/approval.ts";
import { referrersGone } from "../steps/referrers-gone.ts";
import { createDestroyStep } from "../steps/destroy.ts";
import { referencesReady } from "../steps/references-ready.ts";
import { createPlanStep } from "../steps/plan-run.ts";
import { policyAllows } from "../steps/policy-allows.ts";
import { createTaskStep } from "../steps/run-task.ts";

/**
 * Builds a volume: waits for its account and for the instance it is attached to, runs preflight checks, plans, waits for approval if required,
 * and applies.
 */
export const volumeLifecycle: Lifecycle = {
  service: "volume",
  creation: [
    referencesReady,
    createTaskStep({ name: "preflight", condition: "PreflightPassed", weight: 1, type: "volume.preflight", lane: "short" }),
    policyAllows,
    createPlanStep("volume", 2),
    createApprovalStep("volume"),
    createApplyStep("volume", 8),
  ],
  deletion: [referrersGone, createDestroyStep("volume")],
  // A volume depends only on which instance it is attached to. A restart of the instance, for example, starts no run.
  fingerprint: (scope) => renderFingerprint({ ...scope, links: scope.links.map(pickInstanceId) }),
  checked: true,
  readStatus: pickOutputs({ volumeId: "text", attachedTo: "text", device: "text", sizeGib: "number" }),
};

function pickInstanceId(link: Linked): Linked {
  const { instance_id: id = null } = link.outputs ?? {};
  return { ...link, outputs: { instance_id: id } };
}
