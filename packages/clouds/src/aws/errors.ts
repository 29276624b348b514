import { describeError, Fault } from "@cloudwright/platform/fault";
import { cloudsFaults } from "../faults.ts";
import { createCloudFault, matchError, type CloudFault, type ErrorRule, type NativeError } from "../library/errors.ts";
import { isCredentialRefusal, isMalformed } from "./refusals.ts";

/** AWS error codes. Services use different names for the same error. */
const awsErrors: readonly ErrorRule[] = [
  {
    category: "denied",
    code: /^(AccessDenied(Exception)?|UnauthorizedOperation|UnauthorizedAccess|AuthorizationError|Forbidden|OptInRequired|PendingVerification)$/,
  },
  {
    category: "throttled",
    code: /^((EC2)?Throttl(ing|ed)(Exception)?|TooManyRequests(Exception)?|RequestLimitExceeded|RequestThrottled(Exception)?|SlowDown|BandwidthLimitExceeded|PriorRequestNotComplete)$/,
  },
  { category: "throttled", status: 429 },
  {
    category: "quota",
    isCapacity: true,
    code: /^(Server\.)?(Insufficient(Instance|Host|ReservedInstance)?Capacity|UnsupportedAvailabilityZoneException|SpotMaxPriceTooLow)$/,
  },
  { category: "quota", isCapacity: true, code: /^Unsupported$/, message: /Availability Zone/i },
  {
    category: "quota",
    code: /^(Client\.|Server\.)?(\w*LimitExceeded(Exception|Fault)?|MaxSpotInstanceCountExceeded|\w*QuotaExceeded(Exception)?|InsufficientFreeAddresses\w*|InsufficientCidrBlocks)$/,
  },
  {
    category: "not_found",
    code: /^(ResourceNotFoundException|NoSuchEntity(Exception)?|NotFoundException|Invalid\w*\.NotFound|Invalid\w*\.Unknown)$/,
  },
  {
    category: "conflict",
    code: /^(ResourceInUseException|EntityAlreadyExists(Exception)?|EntityTemporarilyUnmodifiable(Exception)?|ConcurrentModification(Exception)?|DependencyViolation|DeleteConflict(Exception)?|Incorrect(Instance)?State|IdempotentParameterMismatch|OperationNotPermitted|InvalidState(Exception)?|InvalidGroup\.(Duplicate|InUse)|InvalidKeyPair\.Duplicate|ConflictException)$/,
  },
  // EKS returns generic codes if a token is reused for a different request, or if the cluster is already being changed.
  {
    category: "conflict",
    code: /^InvalidRequestException$/,
    message: /in progress|not in ACTIVE|not active|currently|idempoten/i,
  },
  { category: "conflict", code: /^InvalidParameterException$/, message: /idempoten/i },
  { category: "conflict", status: 409 },
  {
    category: "unavailable",
    fault: cloudsFaults.unreachable,
    code: /^(ECONN\w+|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ETIMEDOUT|EPIPE|TimeoutError|NetworkingError)$/,
  },
  {
    category: "unavailable",
    code: /^(ServiceUnavailable\w*|InternalError|InternalFailure|ServerException|Unavailable|MalformedResponse)$/,
  },
  {
    category: "invalid",
    code: /^(InvalidParameter\w*|InvalidRequest\w*|ValidationError|ValidationException|Malformed\w*|Missing\w*|Invalid\w*(\.\w+)*|UnsupportedOperation|Unsupported|ClientException|BadRequestException)$/,
  },
];

const skewed = /^(RequestExpired|RequestTimeTooSkewed|RequestInTheFuture|SignatureDoesNotMatch|InvalidSignatureException)$/;

/** Converts an SDK error to a library fault. `doing` completes the message "AWS could not ...". */
export function toLibraryFault(error: unknown, doing: string): CloudFault {
  const native = readNative(error);
  if (error instanceof Fault) return fromFault(error);
  const rule: ErrorRule =
    isCredentialRefusal(native.code) || skewed.test(native.code) ? { category: "auth" } : matchError(awsErrors, native);
  const hint = skewed.test(native.code) ? ". Check this machine's clock and the secret access key" : "";
  const message = `AWS could not ${doing}: ${native.code === "" ? "" : `${native.code}: `}${native.message}${hint}`;
  return createCloudFault(
    message,
    {
      cloud: "aws",
      category: rule.category,
      nativeCode: native.code,
      status: native.status,
      requestId: native.requestId,
      isCapacity: rule.isCapacity === true,
    },
    { ...(isMalformed(error) ? {} : { cause: error }), ...(rule.fault === undefined ? {} : { fault: rule.fault }) },
  );
}

/** Returns the fault for a reason that AWS reports in a status field, such as the health of a node group. */
export function describeStatusReason(message: string, reason: { readonly code: string; readonly message: string }): CloudFault {
  // EKS quotes EC2's error in the message of its own issue.
  const [quoted = reason.code] =
    /\b(InsufficientInstanceCapacity|VcpuLimitExceeded|InstanceLimitExceeded)\b/.exec(reason.message) ?? [];
  const known = awsErrors.find(({ category, code }) => category === "quota" && code?.test(quoted) === true);
  const category = known?.category ?? "unavailable";
  return createCloudFault(message, { cloud: "aws", category, nativeCode: reason.code, isCapacity: known?.isCapacity === true });
}

function readNative(error: unknown): NativeError {
  const { name, code, $metadata, Code } = (error ?? {}) as {
    readonly name?: string;
    readonly code?: string;
    readonly Code?: string;
    readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  };
  const own = name === undefined || name === "Error" ? (Code ?? code ?? "") : name;
  // The SDK's error contains the response, which may contain credentials.
  if (isMalformed(error))
    return { ...readNativeFacts($metadata), code: "MalformedResponse", message: "the response is incomplete or malformed" };
  const [message = ""] = (describeError(error) || own).split("\n");
  return { code: own, message, ...readNativeFacts($metadata) };
}

function readNativeFacts(metadata: { readonly httpStatusCode?: number; readonly requestId?: string } | undefined) {
  return { status: metadata?.httpStatusCode ?? 0, requestId: metadata?.requestId ?? "" };
}

const categories: Readonly<Record<string, CloudFault["extra"]["category"]>> = {
  [cloudsFaults.no_credentials.code]: "auth",
  [cloudsFaults.credentials_refused.code]: "auth",
  [cloudsFaults.role_refused.code]: "auth",
  [cloudsFaults.not_allowed.code]: "denied",
  [cloudsFaults.throttled.code]: "throttled",
};

/** Adds the library's details to a fault from a credential source. */
function fromFault(fault: Fault): CloudFault {
  if (typeof fault.extra["category"] === "string") return fault as CloudFault;
  const { code, kind, retry, help, cause } = fault;
  const native = cause === undefined ? { code: "", status: 0, requestId: "" } : readNative(cause);
  return createCloudFault(
    fault.message,
    {
      cloud: "aws",
      category: categories[code] ?? "unavailable",
      nativeCode: native.code,
      status: native.status,
      requestId: native.requestId,
    },
    { cause: fault, fault: { code, kind, retry, help, when: "" } },
  );
}
