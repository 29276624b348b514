import { describeError, Fault } from "@cloudwright/platform/fault";
import { cloudsFaults } from "../faults.ts";
import {
  createCloudFault,
  matchError,
  type CloudFault,
  type ErrorCategory,
  type ErrorRule,
  type NativeError,
} from "../library/errors.ts";
import { AzureError, isCredentialRefusal } from "./refusals.ts";

/** Error codes of Azure Resource Manager and its services. Many codes are used with several HTTP statuses. */
const azureErrors: readonly ErrorRule[] = [
  { category: "auth", status: 401 },
  {
    category: "denied",
    fault: cloudsFaults.service_disabled,
    code: /^(MissingSubscriptionRegistration|NoRegisteredProviderFound|SubscriptionNotRegistered)$/,
  },
  {
    category: "quota",
    isCapacity: true,
    code: /^(SkuNotAvailable|\w*AllocationFailed|\w*OverconstrainedAllocationRequest|OverconstrainedZonalAllocationRequest|NotAvailableForSubscription|\w*CapacityError)$/,
  },
  {
    category: "quota",
    code: /(QuotaExceeded|InsufficientVCPUQuota|LimitReached|LimitExceeded|SubnetIsFull|InsufficientSubnetSize)/,
  },
  {
    category: "quota",
    code: /^(OperationNotAllowed|BadRequest|Conflict)$/,
    message: /\bquota\b|exceeding approved|maximum number of data disks/i,
  },
  { category: "quota", code: /^MaxNumberOf\w+Reached$/ },
  { category: "throttled", status: 429 },
  { category: "throttled", code: /^(TooManyRequests|\w*Throttled\w*|ServerBusy|OperationPreempted)$/ },
  {
    category: "denied",
    code: /^(\w*AuthorizationFailed|AuthorizationPermissionMismatch|RequestDisallowedBy\w+|Forbidden|ScopeLocked|ReadOnlyDisabledSubscription)$/,
  },
  { category: "denied", status: 403 },
  { category: "not_found", status: 404 },
  { category: "not_found", code: /^(\w*ResourceNotFound|ResourceGroupNotFound|SubscriptionNotFound|NotFound)$/ },
  { category: "invalid", code: /^(PropertyChangeNotAllowed|K8sVersionNotSupported|InvalidParameter\w*|InvalidTemplate\w*)$/ },
  {
    category: "conflict",
    code: /^(\w*Conflict|OperationNotAllowed|AnotherOperationInProgress|PreconditionFailed|EtagMismatch|\w*InUse\w*|NicReservedForAnotherVm|\w*CannotBeDeleted|\w*BeingDeleted|\w*InProgress)$/,
  },
  { category: "conflict", status: 409 },
  { category: "conflict", status: 412 },
  {
    category: "unavailable",
    fault: cloudsFaults.unreachable,
    code: /^(ECONN\w+|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ETIMEDOUT|EPIPE|REQUEST_SEND_ERROR|AbortError)$/,
  },
  {
    category: "unavailable",
    code: /^(PARSE_ERROR|ServiceUnavailable|ServerUnavailable|ServerTimeout|InternalServerError|InternalOperationError|\w*InternalError)$/,
  },
];

/** Converts an error from the SDK or from Azure into a `Fault` of the library. `doing` completes the message "Azure could not ...". */
export function toLibraryFault(error: unknown, doing: string): CloudFault {
  if (error instanceof Fault) return fromFault(error);
  const native = readNative(error);
  const rule = classify(native);
  const message = `Azure could not ${doing}: ${native.code === "" ? "" : `${native.code}: `}${native.message}`;
  return createCloudFault(
    message,
    {
      cloud: "azure",
      category: rule.category,
      nativeCode: native.code,
      status: native.status,
      requestId: native.requestId,
      isCapacity: rule.isCapacity === true,
    },
    { cause: error, ...(rule.fault === undefined ? {} : { fault: rule.fault }) },
  );
}

/** Returns the fault for a reason that Azure reports in a status field, such as the failed provisioning of a machine. */
export function describeStatusReason(message: string, reason: { readonly code: string; readonly message: string }): CloudFault {
  const { category, isCapacity = false } = classify({ ...reason, status: 0, requestId: "" });
  return createCloudFault(message, { cloud: "azure", category, nativeCode: reason.code, isCapacity });
}

function classify(native: NativeError): ErrorRule {
  return isCredentialRefusal(`${native.code} ${native.message}`) ? { category: "auth" } : matchError(azureErrors, native);
}

function readNative(error: unknown): NativeError {
  const { code, statusCode } = (error ?? {}) as { readonly code?: unknown; readonly statusCode?: unknown };
  const [text = ""] = describeError(error).split("\n");
  const message = redact(text);
  if (error instanceof AzureError) {
    const { name, status, requestId } = error;
    return { code: name.startsWith("status ") ? "" : name, status, message, requestId };
  }
  const native = typeof code === "string" ? code : error instanceof Error && error.name !== "Error" ? error.name : "";
  return { code: native, status: typeof statusCode === "number" ? statusCode : 0, message: message || native, requestId: "" };
}

/** Removes tokens and the query strings of signed links from a message. */
function redact(text: string): string {
  return text
    .replaceAll(/\bBearer\s+\S+/gi, "Bearer [secret]")
    .replaceAll(/(https?:\/\/[^\s?"']+)(\?[^\s"']+)?/g, (_match, address: string, query?: string) =>
      query === undefined ? address : `${address}?[secret]`,
    );
}

const categories: Readonly<Record<string, ErrorCategory>> = {
  [cloudsFaults.no_credentials.code]: "auth",
  [cloudsFaults.credentials_refused.code]: "auth",
  [cloudsFaults.not_allowed.code]: "denied",
  [cloudsFaults.service_disabled.code]: "denied",
  [cloudsFaults.throttled.code]: "throttled",
};

/** Adds the library's details to a fault from a credential source. */
function fromFault(fault: Fault): CloudFault {
  if (typeof fault.extra["category"] === "string") return fault as CloudFault;
  const { code, kind, retry, help, cause } = fault;
  const { code: nativeCode, status, requestId } = readNative(cause);
  return createCloudFault(
    redact(fault.message),
    { cloud: "azure", category: categories[code] ?? "unavailable", nativeCode, status, requestId },
    { cause: fault, fault: { code, kind, retry, help, when: "" } },
  );
}
