import { Fault, type FaultDefinition } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { deployerClouds } from "../../clouds.ts";
import { deployerFaults } from "../../faults.ts";

/** Error codes that several clouds use. */
const commonErrors: readonly (readonly [FaultDefinition, RegExp])[] = [
  [deployerFaults.cloud_denies, /\b(AuthorizationFailed|PERMISSION_DENIED)\b/],
  [deployerFaults.quota_exhausted, /\b(QuotaExceeded|QUOTA_EXCEEDED)\b/],
  [deployerFaults.throttled, /\bRATE_LIMIT_EXCEEDED\b/],
];

/** Returns the fault that the cloud's error code in a failure of Terraform means. Other errors are returned unchanged. */
export function explainRefusal(error: Fault): Fault {
  if (error.code !== terraformFaults.failed.code) return error;
  const known = [...deployerClouds.flatMap(({ errors }) => errors), ...commonErrors];
  const found = known.find(([, pattern]) => pattern.test(error.message));
  return found === undefined ? error : new Fault(found[0], error.message, { cause: error });
}
