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

/** A network: its account, a look ahead, then one run: planned, approved where that is needed, applied. */
export const networkPlan: KindPlan = {
  word: "network",
  creation: [
    parentsReady,
    createTaskPhase({ name: "preflight", condition: "PreflightPassed", weight: 1, type: "network.preflight", lane: "short" }),
    policyAllows,
    createPlanPhase("network", 2),
    createApprovalPhase("network"),
    createApplyPhase("network", 8),
  ],
  deletion: [childrenGone, createDestroyPhase("network")],
  fingerprint: renderFingerprint,
  checked: true,
  readStatus: pickOutputs({
    networkId: "text",
    publicSubnetIds: "list",
    privateSubnetIds: "list",
    intraSubnetIds: "list",
    cidr: "text",
    zones: "list",
    natPublicIps: "list",
    loadBalancerPublicIps: "list",
    loadBalancerIpIds: "list",
  }),
};
