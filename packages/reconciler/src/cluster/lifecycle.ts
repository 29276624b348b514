import type { JsonObject } from "@cloudwright/contract";
import { isObject } from "@cloudwright/platform";
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
import { readExistingStatus, releaseExisting, unlessExisting } from "./existing.ts";
import { gatesAfter, gatesBefore } from "./upgrade-gates.ts";

/** Describes the add-ons that are waiting for something, such as nodes. Returns undefined if there are none. */
function findWaiting({ addOns }: JsonObject): string | undefined {
  const reported = (Array.isArray(addOns) ? addOns.filter(isObject) : []) as readonly Partial<Record<string, string>>[];
  const waiting = reported.filter(({ phase }) => phase === "WAITING");
  if (waiting.length === 0) return undefined;
  return waiting.map(({ name = "", message = "" }) => `${name} is waiting: ${message}`).join("; ");
}

const readOutputs = pickOutputs({
  version: "text",
  endpoint: "text",
  readyNodes: "number",
  wantedNodes: "number",
  serverVersion: "text",
  addOns: "records",
});

/**
 * Builds a cluster: waits for its network, runs preflight checks, plans, waits for approval if required, and applies the cluster and its
 * node pools in one run. Then it checks access and installs add-ons. Gates must pass before and after each Kubernetes upgrade.
 */
export const clusterLifecycle: Lifecycle = {
  service: "cluster",
  creation: [
    referencesReady,
    createTaskStep({ name: "preflight", condition: "PreflightPassed", weight: 1, type: "cluster.preflight", lane: "short" }),
    policyAllows,
    createPlanStep("cluster", 2),
    createApprovalStep("cluster"),
    unlessExisting(gatesBefore),
    createApplyStep("cluster", 14),
    unlessExisting(
      createTaskStep({ name: "access", condition: "AccessReady", weight: 1, type: "cluster.access", lane: "short" }),
    ),
    unlessExisting(
      createTaskStep({
        name: "addOns",
        condition: "AddOnsReady",
        weight: 4,
        type: "cluster.addons",
        lane: "long",
        findPending: findWaiting,
      }),
    ),
    unlessExisting(gatesAfter),
  ],
  deletion: [referrersGone, releaseExisting(createDestroyStep("cluster"))],
  fingerprint: renderFingerprint,
  checked: true,
  readStatus: (outputs) => ({ ...readOutputs(outputs), ...readExistingStatus(outputs) }),
};
