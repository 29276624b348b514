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

/** Builds a network: waits for its account, runs preflight checks, plans, waits for approval if required, and applies. */
export const networkLifecycle: Lifecycle = {
  service: "network",
  creation: [
    referencesReady,
    createTaskStep({ name: "preflight", condition: "PreflightPassed", weight: 1, type: "network.preflight", lane: "short" }),
    policyAllows,
    createPlanStep("network", 2),
    createApprovalStep("network"),
    createApplyStep("network", 8),
  ],
  deletion: [referrersGone, createDestroyStep("network")],
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
    podRangeName: "text",
    serviceRangeName: "text",
    ipv6Cidr: "text",
  }),
};
