import type { FaultDefinition } from "@cloudwright/platform";
import { deployerFaults } from "../../../faults.ts";

/**
 * AWS error codes in Terraform messages. Permanent errors come first, then transient ones. Errors that a new plan resolves, such as a name
 * that already exists, are not listed.
 */
export const awsErrors: readonly (readonly [FaultDefinition, RegExp])[] = [
  [
    deployerFaults.credentials_refused,
    /\b(InvalidClientTokenId|SignatureDoesNotMatch|ExpiredToken(Exception)?|UnrecognizedClientException|AuthFailure|InvalidAccessKeyId|RequestExpired)\b|no valid credential sources/i,
  ],
  [deployerFaults.cloud_denies, /\b(UnauthorizedOperation|AccessDenied(Exception)?|OptInRequired)\b|UnauthorizedAccess/],
  [
    deployerFaults.quota_exhausted,
    /\b((?!Request|Bandwidth)[A-Z][A-Za-z]*LimitExceeded(Exception)?|LimitExceeded(Exception)?|ServiceQuotaExceeded(Exception)?|TooManyBuckets)\b/,
  ],
  [deployerFaults.version_not_offered, /\bunsupported Kubernetes (minor )?version\b/i],
  [deployerFaults.nodes_failed, /\b(NodeCreationFailure|AsgInstanceLaunchFailures|InsufficientInstanceCapacity)\b/],
  [
    deployerFaults.role_not_ready,
    /\b(could not|cannot) be assumed\b|were not found in the trust relationships|Invalid IAM Instance Profile|MalformedPolicyDocument: Invalid principal/,
  ],
  [
    deployerFaults.throttled,
    /\b(Throttl(ing|ed)(Exception)?|TooManyRequests(Exception)?|RequestLimitExceeded|BandwidthLimitExceeded|SlowDown)\b/,
  ],
];

/** The error codes that EC2 and EKS return when they reject the deletion of a resource that is in use. */
export const awsDependencyError = /\b(DependencyViolation|ResourceInUse(Exception)?|DeleteConflict(Exception)?)\b/;
