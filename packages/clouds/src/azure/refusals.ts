import { describeError, Fault, type FaultDefinition } from "@cloudwright/platform/fault";
import { cloudsFaults } from "../faults.ts";

// Microsoft Entra ID reports every rejected sign-in with an AADSTS code. The last entries are the errors that the SDKs report when they
// find no credentials.
const refused =
  /\b(AADSTS(?!(90033|90024|90012|50196)\b)\d+|InvalidAuthenticationToken\w*|ExpiredAuthenticationToken|AuthenticationFailed(InvalidHeader)?|InvalidAuthenticationInfo|invalid_client|unauthorized_client|CredentialUnavailableError|AggregateAuthenticationError|could not configure AzureCli Authorizer|building account: unable to configure ResourceManagerAccount)\b/;
const denied =
  /\b(AuthorizationFailed|LinkedAuthorizationFailed|AuthorizationPermissionMismatch|RequestDisallowedByPolicy|DenyAssignmentAuthorizationFailed|Forbidden)\b/;
const unregistered = /\b(MissingSubscriptionRegistration|NoRegisteredProviderFound)\b/;
const throttled = /\b(TooManyRequests|\w*Throttled\w*|ServerBusy)\b/;
const unreachable =
  /\b(ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|REQUEST_SEND_ERROR|AbortError|ServerUnavailable|ServiceUnavailable|endpoints_resolution_error|network_error|AADSTS(90033|90024|90012|50196))\b/;

/** Returns whether an error message from the SDK or Terraform means that Azure rejected the credentials. */
export function isCredentialRefusal(message: string): boolean {
  return refused.test(message);
}

/** An error response from Azure. `name` is Azure's error code. */
export class AzureError extends Error {
  readonly status: number;
  /** The ID that Azure assigned to the request. Empty if there was no response. */
  readonly requestId: string;

  constructor(status: number, code: string, message: string, requestId = "") {
    super(message);
    this.name = code === "" ? `status ${status}` : code;
    this.status = status;
    this.requestId = requestId;
  }
}

/** Returns whether an error means that a resource does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof AzureError && error.status === 404;
}

/** Converts an SDK error to a fault. `doing` completes the message "Azure could not ...". */
export function toCloudFault(error: unknown, doing: string): Fault {
  if (error instanceof Fault) return error;
  const {
    name = "",
    code = "",
    status = 0,
  } = error as { readonly name?: string; readonly code?: string; readonly status?: number };
  const [reason = ""] = describeError(error).split("\n");
  const definition = classify(`${name} ${code} ${reason}`, status);
  return new Fault(definition, `Azure could not ${doing}: ${name === "Error" ? "" : `${name}: `}${reason || code}`, {
    cause: error,
  });
}

function classify(text: string, status: number): FaultDefinition {
  if (unreachable.test(text)) return cloudsFaults.unreachable;
  if (status === 401 || refused.test(text)) return cloudsFaults.credentials_refused;
  if (unregistered.test(text)) return cloudsFaults.service_disabled;
  if (status === 403 || denied.test(text)) return cloudsFaults.not_allowed;
  if (status === 429 || throttled.test(text)) return cloudsFaults.throttled;
  return cloudsFaults.failed;
}
