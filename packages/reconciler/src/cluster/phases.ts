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

/** A cluster: its network, a look ahead, one run that carries all node pools (planned, approved where that is needed, applied), access to it, then what is installed in it. */
export const clusterPlan: KindPlan = {
  word: "cluster",
  creation: [
    parentsReady,
    createTaskPhase({ name: "preflight", condition: "PreflightPassed", weight: 1, type: "cluster.preflight", lane: "short" }),
    policyAllows,
    createPlanPhase("cluster", 2),
    createApprovalPhase("cluster"),
    createApplyPhase("cluster", 14),
    createTaskPhase({ name: "access", condition: "AccessReady", weight: 1, type: "cluster.access", lane: "short" }),
    createTaskPhase({ name: "addOns", condition: "AddOnsReady", weight: 4, type: "cluster.addons", lane: "long" }),
  ],
  deletion: [childrenGone, createDestroyPhase("cluster")],
  fingerprint: renderFingerprint,
  checked: true,
  readStatus: pickOutputs({
    version: "text",
    endpoint: "text",
    readyNodes: "number",
    wantedNodes: "number",
    serverVersion: "text",
    addOns: "records",
  }),
};
