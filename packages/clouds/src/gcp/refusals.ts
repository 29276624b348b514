import { describeError, Fault } from "@cloudwright/platform/fault";
import { cloudsFaults } from "../faults.ts";

// Google's token endpoints, its APIs and the Terraform provider report the same rejection in different words.
const refused =
  /\b(invalid_grant|invalid_client|unauthorized_client|invalid_rapt|UNAUTHENTICATED|Invalid JWT|Invalid Credentials|ACCESS_TOKEN_EXPIRED|ACCESS_TOKEN_TYPE_UNSUPPORTED)\b|Request had invalid authentication credentials|could not find default credentials|Could not load the default credentials|oauth2: cannot fetch token|oauth2\/google: (unable to generate access token|status code 4)/;
const throttled = /^(rateLimitExceeded|userRateLimitExceeded|RATE_LIMIT_EXCEEDED|RESOURCE_EXHAUSTED)$/;
const disabled = /^(SERVICE_DISABLED|accessNotConfigured)$/;
const unreachable = /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|ABORT_ERR|TimeoutError|AbortError|UND_ERR_\w+)$/;

/** Returns whether an error message from the library or Terraform means that Google Cloud rejected the credentials. */
export function isCredentialRefusal(message: string): boolean {
  return refused.test(message);
}

/** Google Cloud's error response to a failed call. */
export interface Refusal {
  readonly status: number;
  readonly reasons: readonly string[];
  readonly message: string;
  /** Service that is not enabled in the project, such as `compute.googleapis.com`. */
  readonly service?: string;
}

/** Reads the error response to a failed call. Returns undefined if there was no response. */
export function readRefusal(error: unknown): Refusal | undefined {
  const { response } = (error ?? {}) as { readonly response?: { readonly status?: number; readonly data?: unknown } };
  if (response?.status === undefined) return undefined;
  const { error: body, error_description: description } = (isObject(response.data) ? response.data : {}) as Answer;
  if (typeof body === "string")
    return { status: response.status, reasons: [body], message: description === undefined ? body : `${body}: ${description}` };
  const details = (body?.details ?? []).filter(isObject);
  const reasons = [
    body?.status,
    ...(body?.errors ?? []).filter(isObject).map(({ reason }) => reason),
    ...details.map(({ reason }) => reason),
  ].flatMap((reason) => reason ?? []);
  const service = details.find(({ reason }) => reason !== undefined && disabled.test(reason))?.metadata?.["service"];
  const message =
    body?.message ?? (typeof response.data === "string" ? response.data.slice(0, 200) : `status ${response.status}`);
  return { status: response.status, reasons, message, ...(service === undefined ? {} : { service }) };
}

interface Answer {
  readonly error?:
    | string
    | {
        readonly status?: string;
        readonly message?: string;
        readonly errors?: readonly { readonly reason?: string }[];
        readonly details?: readonly { readonly reason?: string; readonly metadata?: Readonly<Record<string, string>> }[];
      };
  readonly error_description?: string;
}

/**
 * Converts an error from Google's library to a fault. `doing` completes the message "Google Cloud could not ...". The error itself is not
 * kept as the cause, because it contains the request.
 */
export function toCloudFault(error: unknown, doing: string): Fault {
  if (error instanceof Fault) return error;
  const refusal = readRefusal(error);
  if (refusal !== undefined) return describeRefusal(refusal, doing);
  const { name = "", code = "" } = (error ?? {}) as { readonly name?: string; readonly code?: unknown };
  const reason = describeError(error) || name;
  const definition = isCredentialRefusal(reason)
    ? cloudsFaults.credentials_refused
    : unreachable.test(String(code)) || unreachable.test(name) || /\b(ECONN\w+|ENOTFOUND|ETIMEDOUT|EAI_AGAIN)\b/.test(reason)
      ? cloudsFaults.unreachable
      : cloudsFaults.failed;
  return new Fault(definition, `Google Cloud could not ${doing}: ${reason}`);
}

function describeRefusal(refusal: Refusal, doing: string): Fault {
  const { status, reasons, message, service } = refusal;
  const has = (pattern: RegExp): boolean => reasons.some((reason) => pattern.test(reason));
  const said = `Google Cloud could not ${doing}: ${message}`;
  if (has(disabled)) {
    const fix = service === undefined ? "" : `. Run \`gcloud services enable ${service}\` in the project`;
    return new Fault(cloudsFaults.service_disabled, said + fix);
  }
  const definition =
    status === 429 || has(throttled)
      ? cloudsFaults.throttled
      : status === 401 || reasons.some(isCredentialRefusal)
        ? cloudsFaults.credentials_refused
        : status === 403
          ? cloudsFaults.not_allowed
          : status === 502 || status === 503 || status === 504
            ? cloudsFaults.unreachable
            : cloudsFaults.failed;
  return new Fault(definition, said);
}

function isObject<Value>(value: Value): value is Value & object {
  return typeof value === "object" && value !== null;
}
