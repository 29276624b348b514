import { ApiError, AuthError } from "../../api/api-error.ts";
import type { ApiReply } from "../../api/api-service.ts";
import type { ApiRefusal } from "../../provider/definition.ts";

/** Throws an API error. */
export function refuse(code: string, message: string, status?: number): never {
  throw new ApiError({ code, message, ...(status === undefined ? {} : { status }) });
}

/** Returns the error for a caller without valid credentials. */
export function refuseToken(code: string, message: string): AuthError {
  return new AuthError({ code, message, status: 401 });
}

const statuses: readonly (readonly [pattern: RegExp, status: number])[] = [
  [/^(InvalidAuthenticationToken\w*|ExpiredAuthenticationToken|AuthenticationFailed)$/, 401],
  [/^(\w*AuthorizationFailed|RequestDisallowedBy\w+|Forbidden)$/, 403],
  [/NotFound$/, 404],
  [/^(\w*Conflict|OperationNotAllowed|\w*InProgress|SkuNotAvailable|\w*AllocationFailed|\w*QuotaExceeded)$/, 409],
  [/^PreconditionFailed$/, 412],
  [/^(TooManyRequests|\w*Throttled\w*)$/, 429],
  [/^(InternalServerError|InternalOperationError|\w*InternalError)$/, 500],
  [/^(ServiceUnavailable|ServerBusy|ServerTimeout)$/, 503],
];

function completeRefusal({ code, message, status }: ApiRefusal): Required<ApiRefusal> {
  const usual = status === 429 ? "TooManyRequests" : (status ?? 400) >= 500 ? "InternalServerError" : "BadRequest";
  const named = code === "" ? usual : code;
  return { code: named, message, status: status ?? statuses.find(([pattern]) => pattern.test(named))?.[1] ?? 400 };
}

/** Renders an error as Azure Resource Manager does. `loginUrl` is where the caller gets tokens. */
export function renderArmError(refusal: ApiRefusal, requestId: string, loginUrl: string): ApiReply {
  const { code, message, status } = completeRefusal(refusal);
  const challenge = `Bearer authorization_uri="${loginUrl}", error="invalid_token", error_description="${code}"`;
  return {
    status,
    headers: {
      ...armHeaders(requestId),
      "x-ms-failure-cause": "gateway",
      ...(status === 401 ? { "www-authenticate": challenge } : {}),
      ...(status === 429 || status === 503 ? { "retry-after": "1" } : {}),
    },
    body: JSON.stringify({ error: { code, message } }),
  };
}

/** Renders an error from the login endpoint. The message begins with Entra's own number, such as `AADSTS7000215`. */
export function renderLoginError(refusal: ApiRefusal, requestId: string, nowMs: number): ApiReply {
  const { code, message, status = 400 } = refusal;
  const usual = status === 429 ? "temporarily_unavailable" : status >= 500 ? "server_error" : "invalid_request";
  const number = Number(/^AADSTS(\d+)/.exec(message)?.[1] ?? 90_014);
  const content = {
    error: code === "" ? usual : code,
    error_description: `${message} Trace ID: ${requestId} Timestamp: ${new Date(nowMs).toISOString()}`,
    error_codes: [number],
    timestamp: new Date(nowMs).toISOString(),
    trace_id: requestId,
    correlation_id: requestId,
  };
  const pause = status === 429 ? { "retry-after": "1" } : {};
  return { status, headers: { ...armHeaders(requestId), ...pause }, body: JSON.stringify(content) };
}

/** Returns the headers that every reply has. */
export function armHeaders(requestId: string): Record<string, string> {
  return {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-cache",
    "x-ms-request-id": requestId,
    "x-ms-correlation-request-id": requestId,
  };
}
