import { renderFingerprint } from "../engine/fingerprint.ts";
import { pickOutputs } from "../engine/outputs.ts";
import type { Lifecycle } from "../engine/step.ts";
import { referrersGone } from "../steps/referrers-gone.ts";
import { policyAllows } from "../steps/policy-allows.ts";
import { createTaskStep } from "../steps/run-task.ts";

/** Verifies an account's credentials after the account is created or changed. Accounts have no infrastructure. */
export const accountLifecycle: Lifecycle = {
  service: "account",
  creation: [
    policyAllows,
    createTaskStep({ name: "verify", condition: "CredentialsVerified", weight: 1, type: "account.verify", lane: "short" }),
  ],
  deletion: [referrersGone],
  fingerprint: renderFingerprint,
  checked: false,
  readStatus: pickOutputs({ accountId: "text", identity: "text" }),
};
