import { renderFingerprint } from "../engine/fingerprint.ts";
import { pickOutputs } from "../engine/outputs.ts";
import type { KindPlan } from "../engine/phase.ts";
import { childrenGone } from "../phases/children-gone.ts";
import { policyAllows } from "../phases/policy-allows.ts";
import { createTaskPhase } from "../phases/run-task.ts";

/** An account is tried once it is given, and whenever it changes. Nothing is built for it. */
export const accountPlan: KindPlan = {
  word: "account",
  creation: [
    policyAllows,
    createTaskPhase({ name: "verify", condition: "CredentialsVerified", weight: 1, type: "account.verify", lane: "short" }),
  ],
  deletion: [childrenGone],
  fingerprint: renderFingerprint,
  checked: false,
  readStatus: pickOutputs({ accountId: "text", identity: "text" }),
};
