import { renderFingerprint } from "../engine/fingerprint.ts";
import { pickOutputs } from "../engine/outputs.ts";
import type { KindPlan } from "../engine/phase.ts";
import { childrenGone } from "../phases/children-gone.ts";
import { createDestroyPhase } from "../phases/destroy.ts";
import { parentsReady } from "../phases/parents-ready.ts";
import { policyAllows } from "../phases/policy-allows.ts";
import { createTaskPhase } from "../phases/run-task.ts";

/** Storage: its cluster, a look ahead, then one run. */
export const storagePlan: KindPlan = {
  word: "storage",
  creation: [
    parentsReady,
    createTaskPhase({ name: "preflight", condition: "PreflightPassed", weight: 1, type: "storage.preflight", lane: "short" }),
    policyAllows,
    createTaskPhase({ name: "infrastructure", condition: "InfrastructureReady", weight: 8, type: "storage.apply", lane: "long" }),
  ],
  deletion: [childrenGone, createDestroyPhase("storage")],
  fingerprint: renderFingerprint,
  checked: true,
  readStatus: pickOutputs({ resourceId: "text" }),
};
