import { Fault, type FaultDefinition } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { deployerClouds } from "../../clouds.ts";
import { deployerFaults } from "../../faults.ts";

/** Error codes that are not specific to one cloud. */
const commonErrors: readonly (readonly [FaultDefinition, RegExp])[] = [
  [deployerFaults.cloud_denies, /\b(AuthorizationFailed|PERMISSION_DENIED)\b/],
  [deployerFaults.quota_exhausted, /\b(QuotaExceeded|QUOTA_EXCEEDED)\b/],
  [deployerFaults.throttled, /\bRATE_LIMIT_EXCEEDED\b/],
];

/** Converts a Terraform failure to a more specific fault if its message contains a known error code. Returns other faults unchanged. */
export function explainRefusal(error: Fault): Fault {
  if (error.code !== terraformFaults.failed.code) return error;
  const known = [...deployerClouds.flatMap(({ errors }) => errors), ...commonErrors];
  const found = known.find(([, pattern]) => pattern.test(error.message));
  return found === undefined ? error : new Fault(found[0], error.message, { cause: error });
}
