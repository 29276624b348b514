import { Fault, type FaultDefinition } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";

/**
 * The clouds' own codes for refusals: first those that no second try changes, then those that pass by themselves. What a new plan puts right
 * (names of our own that exist) is not among them.
 */
const refusals: readonly (readonly [FaultDefinition, RegExp])[] = [
  [
    deployerFaults.credentials_refused,
    /\b(InvalidClientTokenId|SignatureDoesNotMatch|ExpiredToken(Exception)?|UnrecognizedClientException|AuthFailure|InvalidAccessKeyId|RequestExpired)\b|no valid credential sources/i,
  ],
  [
    deployerFaults.cloud_denies,
    /\b(UnauthorizedOperation|AccessDenied(Exception)?|OptInRequired|AuthorizationFailed|PERMISSION_DENIED)\b|UnauthorizedAccess/,
  ],
  [
    deployerFaults.quota_exhausted,
    /\b((?!Request|Bandwidth)[A-Z][A-Za-z]*LimitExceeded(Exception)?|LimitExceeded(Exception)?|ServiceQuotaExceeded(Exception)?|TooManyBuckets|QuotaExceeded|QUOTA_EXCEEDED)\b/,
  ],
  [deployerFaults.version_not_offered, /\bunsupported Kubernetes (minor )?version\b/i],
  [deployerFaults.nodes_failed, /\b(NodeCreationFailure|AsgInstanceLaunchFailures|InsufficientInstanceCapacity)\b/],
  [
    deployerFaults.role_not_ready,
    /\b(could not|cannot) be assumed\b|were not found in the trust relationships|Invalid IAM Instance Profile|MalformedPolicyDocument: Invalid principal/,
  ],
  [
    deployerFaults.throttled,
    /\b(Throttl(ing|ed)(Exception)?|TooManyRequests(Exception)?|RequestLimitExceeded|BandwidthLimitExceeded|SlowDown|RATE_LIMIT_EXCEEDED)\b/,
  ],
];

/** What Terraform failed with, named by what the cloud has said; whatever else it was stays as it is. */
export function explainRefusal(error: Fault): Fault {
  if (error.code !== terraformFaults.failed.code) return error;
  const found = refusals.find(([, words]) => words.test(error.message));
  return found === undefined ? error : new Fault(found[0], error.message, { cause: error });
}
