import type { FaultDefinition } from "@cloudwright/platform";
import { deployerFaults } from "../../../faults.ts";

/** Codes of requests that AWS rejects as invalid. */
const rejected =
  /Validation(Exception|Error)|InvalidParameter(Exception|Value|ValueException|Combination|CombinationException)?|Malformed\w*|MissingParameter|InvalidRequest(Exception)?|InvalidArgument|InvalidInput(Exception)?|InvalidBucketName|InvalidVpcRange|InvalidVpc\.Range|InvalidSubnet\.Range|InvalidAMIID\.Malformed|UnknownParameter/;

/**
 * Matches messages of rejected requests that may succeed later. They are about another change in progress, or about a new resource or role
 * that is not visible to every service yet.
 */
const transient =
  /\b(roles?|instance profile|principals?|permissions?|trust(s|ed)?|assumed?)\b|authoriz|does(n't| not) exist|not (be )?found|not (yet )?(ready|active|enabled|valid yet|visible)|not in (an? )?(the )?'?(active|available)|in progress|idempoten|is currently|(try|retry) (again|later|the)|being (created|deleted|updated|modified)|pending|in use/;

/**
 * AWS error codes in Terraform messages. The first match wins. Rejected requests come last, because services use the same codes for roles
 * that they cannot assume yet. Errors that a new plan resolves, such as a name
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
  [
    deployerFaults.request_rejected,
    new RegExp(
      `StatusCode: 400, RequestID: [^,]*, (HostID: [^,]*, )?(api error )?(${rejected.source}): (?!.*(${transient.source}))`,
      "i",
    ),
  ],
];

/** The error codes that EC2 and EKS return when they reject the deletion of a resource that is in use. */
export const awsDependencyError = /\b(DependencyViolation|ResourceInUse(Exception)?|DeleteConflict(Exception)?)\b/;
