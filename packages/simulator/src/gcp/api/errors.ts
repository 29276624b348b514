import type { ApiReply } from "../../api/api-service.ts";
import { ApiError, AuthError } from "../../api/api-error.ts";
import type { ApiRefusal } from "../../provider/definition.ts";

/**
 * Google's canonical error codes, keyed by the reason in an error response. Other reasons get the code that belongs to their HTTP status.
 */
const byReason: Readonly<Record<string, readonly [canonical: string, status: number]>> = {
  notFound: ["NOT_FOUND", 404],
  alreadyExists: ["ALREADY_EXISTS", 409],
  forbidden: ["PERMISSION_DENIED", 403],
  quotaExceeded: ["RESOURCE_EXHAUSTED", 403],
  rateLimitExceeded: ["RESOURCE_EXHAUSTED", 429],
  failedPrecondition: ["FAILED_PRECONDITION", 400],
  resourceNotReady: ["FAILED_PRECONDITION", 400],
  resourceInUseByAnotherResource: ["FAILED_PRECONDITION", 400],
  conditionNotMet: ["FAILED_PRECONDITION", 412],
  authError: ["UNAUTHENTICATED", 401],
  backendError: ["UNAVAILABLE", 503],
  internalError: ["INTERNAL", 500],
  ZONE_RESOURCE_POOL_EXHAUSTED: ["UNAVAILABLE", 503],
};

const byStatus: Readonly<Record<number, readonly [canonical: string, reason: string]>> = {
  400: ["INVALID_ARGUMENT", "badRequest"],
  401: ["UNAUTHENTICATED", "authError"],
  403: ["PERMISSION_DENIED", "forbidden"],
  404: ["NOT_FOUND", "notFound"],
  409: ["ALREADY_EXISTS", "alreadyExists"],
  412: ["FAILED_PRECONDITION", "conditionNotMet"],
  429: ["RESOURCE_EXHAUSTED", "rateLimitExceeded"],
  500: ["INTERNAL", "internalError"],
  501: ["UNIMPLEMENTED", "notImplemented"],
  503: ["UNAVAILABLE", "backendError"],
};

/** Renders an error as Google Cloud's REST APIs do. Compute Engine leaves out the canonical code and the details. */
export function renderRestError(refusal: ApiRefusal, requestId: string, service: string): ApiReply {
  const { message } = refusal;
  const known = Object.hasOwn(byReason, refusal.code) ? byReason[refusal.code] : undefined;
  const code = refusal.status ?? known?.[1] ?? 400;
  const [usual, reason] = byStatus[code] ?? (code >= 500 ? ["INTERNAL", "internalError"] : ["INVALID_ARGUMENT", "badRequest"]);
  const errors = [{ message, domain: "global", reason: refusal.code === "" ? reason : refusal.code }];
  const details = [
    { "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId: `0x${requestId.replaceAll("-", "").slice(-16)}` },
  ];
  const error = { code, message, errors, ...(service === "compute" ? {} : { status: known?.[0] ?? usual, details }) };
  return { status: code, headers: standardHeaders(requestId), body: JSON.stringify({ error }) };
}

/** Renders an error from the token endpoint, which has its own format. */
export function renderOauthError({ code, message, status = 400 }: ApiRefusal, requestId: string): ApiReply {
  const error =
    code !== "" ? code : status === 429 ? "rate_limit_exceeded" : status >= 500 ? "internal_failure" : "invalid_request";
  return { status, headers: standardHeaders(requestId), body: JSON.stringify({ error, error_description: message }) };
}

/** Returns the headers that every response has. */
export function standardHeaders(requestId: string): Record<string, string> {
  return {
    "content-type": "application/json; charset=UTF-8",
    "cache-control": "private",
    vary: "X-Origin, Referer, Origin",
    "x-goog-request-id": requestId,
  };
}

/** Throws an API error. */
export function refuse(refusal: ApiRefusal): never {
  throw new ApiError(refusal);
}

/** Returns the error for invalid input. */
export function invalid(message: string): ApiRefusal {
  return { code: "", message, status: 400 };
}

/** Returns the error for a credential that is missing, forged or expired. */
export function unauthenticated(): AuthError {
  const message =
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.";
  return new AuthError({ code: "authError", message, status: 401 });
}
