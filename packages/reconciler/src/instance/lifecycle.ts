import { getKind } from "@cloudwright/contract";
import { isObject } from "@cloudwright/platform";
import { renderFingerprint } from "../engine/fingerprint.ts";
import { pickOutputs } from "../engine/outputs.ts";
import type { Ancestor, Scope } from "../engine/scope.ts";
import type { Lifecycle } from "../engine/step.ts";
import { createApplyStep } from "../steps/apply-plan.ts";
import { createApprovalStep } from "../steps/approval.ts";
import { createDestroyStep } from "../steps/destroy.ts";
import { createPlanStep } from "../steps/plan-run.ts";
import { policyAllows } from "../steps/policy-allows.ts";
import { referencesReady } from "../steps/references-ready.ts";
import { referrersGone } from "../steps/referrers-gone.ts";
import { createTaskStep } from "../steps/run-task.ts";

/**
 * Builds an instance: waits for its network and SSH keys, runs preflight checks, plans, waits for approval if required, and applies. Then it
 * records the SSH host keys that the instance printed when it started.
 */
export const instanceLifecycle: Lifecycle = {
  service: "instance",
  creation: [
    referencesReady,
    createTaskStep({ name: "preflight", condition: "PreflightPassed", weight: 1, type: "instance.preflight", lane: "short" }),
    policyAllows,
    createPlanStep("instance", 2),
    createApprovalStep("instance"),
    createApplyStep("instance", 8),
    createTaskStep({
      name: "hostKeys",
      condition: "HostKeysRecorded",
      weight: 1,
      type: "instance.hostkeys",
      lane: "short",
      findPending: ({ hostKeysMissing }) => (typeof hostKeysMissing === "string" ? hostKeysMissing : undefined),
    }),
  ],
  deletion: [referrersGone, createDestroyStep("instance")],
  // A claimed host depends only on its own entry in the inventory. Checks of the inventory and changes of other hosts start no run.
  fingerprint: (scope) => renderFingerprint({ ...scope, above: scope.above.map((each) => pickHost(scope, each)) }),
  checked: true,
  readStatus: pickOutputs({
    instanceId: "text",
    privateAddress: "text",
    publicAddress: "text",
    hostKeys: "list",
    hostKeysOf: "text",
    machineStatus: "text",
    machineType: "text",
    user: "text",
    zone: "text",
    port: "number",
    os: "text",
    architecture: "text",
    cores: "number",
    memoryMib: "number",
  }),
};

const { kind: inventory } = getKind("Inventory");

function pickHost({ entity }: Scope, ancestor: Ancestor): Ancestor {
  if (ancestor.kind !== inventory) return ancestor;
  const { hosts, user = "", sshKey = "" } = ancestor.object.spec;
  const own = Array.isArray(hosts)
    ? hosts.find((each) => isObject(each) && each["name"] === entity.object.spec["host"])
    : undefined;
  return { ...ancestor, outputs: { host: own ?? null, user, sshKey } };
}
