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
import { endWaits } from "../library/wait-for.ts";
import { isCredentialRefusal, readRefusal } from "./refusals.ts";

/**
 * Google Cloud error codes. A response can contain several codes from different generations of the API, such as `PERMISSION_DENIED` and
 * `quotaExceeded`. The codes are joined and tested as one string, so the patterns match words.
 */
const gcpErrors: readonly ErrorRule[] = [
  { category: "throttled", code: /\b(rateLimitExceeded|userRateLimitExceeded|RATE_LIMIT_EXCEEDED|OPERATION_RATE_EXCEEDED)\b/ },
  {
    category: "quota",
    isCapacity: true,
    code: /\b(ZONE_RESOURCE_POOL_EXHAUSTED\w*|GCE_STOCKOUT|STOCKOUT|resourcePoolExhausted)\b/,
  },
  {
    category: "quota",
    isCapacity: true,
    message: /does not have enough resources available|ZONE_RESOURCE_POOL_EXHAUSTED|GCE_STOCKOUT/,
  },
  { category: "quota", code: /\b(quotaExceeded|QUOTA_EXCEEDED|GCE_QUOTA_EXCEEDED|limitExceeded|LIMIT_EXCEEDED)\b/ },
  { category: "throttled", status: 429 },
  { category: "quota", message: /insufficient (regional |global |project )?quota|quota '?\w+'? exceeded|QUOTA_EXCEEDED/i },
  // Operations report exhausted quotas with the same code as throttled requests, but without an HTTP status.
  { category: "quota", code: /\bRESOURCE_EXHAUSTED\b/, status: 0 },
  { category: "throttled", code: /\bRESOURCE_EXHAUSTED\b/ },
  { category: "auth", status: 401 },
  { category: "auth", code: /\b(UNAUTHENTICATED|ACCESS_TOKEN_EXPIRED|authError|invalid_grant|invalid_client)\b/ },
  { category: "denied", code: /\b(SERVICE_DISABLED|accessNotConfigured)\b/, fault: cloudsFaults.service_disabled },
  { category: "denied", status: 403 },
  { category: "denied", code: /\b(PERMISSION_DENIED|PERMISSIONS_ERROR|FORBIDDEN|forbidden)\b/ },
  { category: "not_found", status: 404 },
  { category: "not_found", code: /\b(NOT_FOUND|RESOURCE_NOT_FOUND|notFound)\b/ },
  { category: "conflict", status: 409 },
  { category: "conflict", status: 412 },
  {
    category: "conflict",
    code: /\b(ALREADY_EXISTS|RESOURCE_ALREADY_EXISTS|RESOURCE_IN_USE\w*|RESOURCE_NOT_READY|ABORTED|CLUSTER_ALREADY_HAS_OPERATION|alreadyExists|resourceInUse\w*|resourceNotReady|conditionNotMet)\b/,
  },
  // GKE uses the same code for an invalid request and for a change that conflicts with another change in progress.
  {
    category: "conflict",
    message:
      /incompatible operation|operation \S+ is (currently )?(in progress|running|upgrading|being)|is (currently )?being (created|deleted|updated|upgraded|repaired)|please wait and try again/i,
  },
  {
    category: "unavailable",
    fault: cloudsFaults.unreachable,
    code: /\b(ECONN\w+|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ETIMEDOUT|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ABORT_ERR|TimeoutError|AbortError)\b/,
  },
  { category: "unavailable", code: /\b(UNAVAILABLE|INTERNAL\w*|backendError|MALFORMED_RESPONSE)\b/ },
  {
    category: "invalid",
    code: /\b(INVALID\w*|invalid\w*|BAD_REQUEST|badRequest|FAILED_PRECONDITION|OUT_OF_RANGE|UNSUPPORTED\w*)\b/,
  },
];

/** Code for a response with a successful status whose body is not the JSON that the API describes. */
export const malformed = "MALFORMED_RESPONSE";

/** Converts an error from Google's library to a fault of this library. `doing` completes the message "Google Cloud could not ...". */
export function toLibraryFault(error: unknown, doing: string): CloudFault {
  const fault = findFault(error);
  if (fault !== undefined) return fromFault(fault);
  const native = readNative(error);
  const rule: ErrorRule = isCredentialRefusal(native.message) ? { category: "auth" } : matchError(gcpErrors, native);
  const service = readRefusal(error)?.service;
  const fix = service === undefined ? "" : `. Run \`gcloud services enable ${service}\` in the project`;
  return createFault(`Google Cloud could not ${doing}: ${native.message}${fix}`, native, rule);
}

/** Returns whether sending the request again may succeed. */
export function isPassing(error: unknown): boolean {
  if (findFault(error) !== undefined) return false;
  const native = readNative(error);
  if (isCredentialRefusal(native.message)) return false;
  const { category } = matchError(gcpErrors, native);
  return category === "throttled" || category === "unavailable" || native.status === 408;
}

/** Returns the fault for an operation that failed after Google Cloud had accepted it. */
export function toOperationFault(doing: string, failure: Omit<NativeError, "status"> & { readonly status?: number }): CloudFault {
  const native = { status: 0, ...failure };
  const message = `Google Cloud could not ${doing}: ${native.code}: ${native.message}`;
  return endWaits(createFault(message, native, matchError(gcpErrors, native)));
}

/** Returns the fault for a cluster, node pool or machine whose status says that it failed. */
export function describeStatusReason(message: string, reason: string): CloudFault {
  const [code = ""] = reason.split(":");
  const native = { code, status: 0, message: reason, requestId: "" };
  const rule = matchError(gcpErrors, native);
  return createFault(message, native, rule.category === "quota" ? rule : { category: "unavailable" });
}

function createFault(message: string, { code, status, requestId }: NativeError, rule: ErrorRule): CloudFault {
  const { category, isCapacity = false, fault } = rule;
  const [nativeCode = ""] = code.split(" ");
  const facts = { cloud: "gcp", category, nativeCode, status, requestId, isCapacity };
  // Errors from Google's library contain the request with its token, so they are not kept as the cause.
  return createCloudFault(message, facts, fault === undefined ? {} : { fault });
}

/** Returns the fault that Google's library wrapped, for example one from a credential source. */
function findFault(error: unknown): Fault | undefined {
  if (error instanceof Fault) return error;
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  return cause instanceof Fault ? cause : undefined;
}

function readNative(error: unknown): NativeError {
  const refusal = readRefusal(error);
  if (refusal !== undefined) {
    const { status, reasons, message } = refusal;
    // The codes in the details are the most specific ones.
    return { code: [...reasons].toReversed().join(" "), status, message: hide(message), requestId: readRequestId(error) };
  }
  const { name = "", code, type, cause } = (error ?? {}) as FailedRequest;
  const codes = [code, cause?.code, type, name].filter((each) => typeof each === "string" && each !== "" && each !== "Error");
  return { code: codes.join(" "), status: 0, message: hide(describeError(error) || name), requestId: "" };
}

/** An error from Google's library without a response. */
interface FailedRequest {
  readonly name?: string;
  readonly type?: unknown;
  readonly code?: unknown;
  readonly cause?: { readonly code?: unknown };
}

/** Removes query strings and tokens, and everything after the first line. */
function hide(message: string): string {
  const [line = ""] = message.split("\n");
  return line.replaceAll(/(https?:\/\/[^\s?]+)(?:\?\S*)?/g, "$1").replaceAll(/Bearer \S+|\bya29\.\S+/g, "[token]");
}

const requestHeaders = ["x-goog-request-id", "x-request-id", "x-cloud-trace-context", "x-guploader-uploadid"];

/** Returns Google Cloud's ID for a request, from the details of the error or from a header. */
function readRequestId(error: unknown): string {
  const { response } = error as { readonly response?: { readonly data?: unknown; readonly headers?: Headers } };
  const { error: body } = (response?.data ?? {}) as {
    readonly error?: { readonly details?: readonly { readonly requestId?: unknown }[] };
  };
  const details = Array.isArray(body?.details) ? body.details : [];
  const own = details.map((detail) => detail?.requestId).find((id) => typeof id === "string");
  return own ?? requestHeaders.map((name) => response?.headers?.get(name)).find((id) => typeof id === "string") ?? "";
}

const categories: Readonly<Record<string, ErrorCategory>> = {
  [cloudsFaults.no_credentials.code]: "auth",
  [cloudsFaults.credentials_refused.code]: "auth",
  [cloudsFaults.role_refused.code]: "auth",
  [cloudsFaults.not_allowed.code]: "denied",
  [cloudsFaults.service_disabled.code]: "denied",
  [cloudsFaults.throttled.code]: "throttled",
};

/** Adds the library's details to a fault from a credential source. */
function fromFault(fault: Fault): CloudFault {
  if (typeof fault.extra["category"] === "string") return fault as CloudFault;
  const { code, kind, retry, help } = fault;
  const facts = { cloud: "gcp", category: categories[code] ?? "unavailable" };
  return createCloudFault(fault.message, facts, { cause: fault, fault: { code, kind, retry, help, when: "" } });
}
