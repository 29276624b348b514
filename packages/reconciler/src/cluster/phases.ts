import { renderFingerprint } from "../engine/fingerprint.ts";
import { pickOutputs } from "../engine/outputs.ts";
import type { KindPlan } from "../engine/phase.ts";
import { childrenGone } from "../phases/children-gone.ts";
import { createDestroyPhase } from "../phases/destroy.ts";
import { parentsReady } from "../phases/parents-ready.ts";
import { policyAllows } from "../phases/policy-allows.ts";
import { createTaskPhase } from "../phases/run-task.ts";

/** A cluster: its network, a look ahead, one run that carries all node pools, access to it, then what is installed in it. */
export const clusterPlan: KindPlan = {
  word: "cluster",
  creation: [
    parentsReady,
    createTaskPhase({ name: "preflight", condition: "PreflightPassed", weight: 1, type: "cluster.preflight", lane: "short" }),
    policyAllows,
    createTaskPhase({
      name: "infrastructure",
      condition: "InfrastructureReady",
      weight: 14,
      type: "cluster.apply",
      lane: "long",
    }),
    createTaskPhase({ name: "access", condition: "AccessReady", weight: 1, type: "cluster.access", lane: "short" }),
    createTaskPhase({ name: "addOns", condition: "AddOnsReady", weight: 4, type: "cluster.addons", lane: "long" }),
  ],
  deletion: [childrenGone, createDestroyPhase("cluster")],
  fingerprint: renderFingerprint,
  checked: true,
  readStatus: pickOutputs({ version: "text", endpoint: "text", readyNodes: "number" }),
};
