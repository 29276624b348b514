import { describeError, Fault } from "@cloudwright/platform/fault";
import { cloudsFaults } from "../faults.ts";

// Services use different names for the same error. The last entries are the errors that SDKs report when they find no credentials.
const refused =
  /\b(InvalidClientTokenId|UnrecognizedClientException|InvalidAccessKeyId|SignatureDoesNotMatch|AuthFailure|ExpiredToken(Exception)?|RequestExpired|TokenRefreshRequired|InvalidToken|IncompleteSignature|InvalidSignatureException|MissingAuthenticationToken|CredentialsProviderError|No valid credential sources found|failed to refresh cached credentials)\b/;
const denied = /^(AccessDenied(Exception)?|UnauthorizedOperation|UnauthorizedAccess|AuthorizationError|Forbidden)$/;
const throttled =
  /^(Throttling(Exception)?|ThrottledException|TooManyRequests(Exception)?|RequestLimitExceeded|SlowDown|BandwidthLimitExceeded)$/;
const unreachable = /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|TimeoutError|NetworkingError)$/;

/** Returns whether an error message from the SDK or Terraform means that AWS rejected the credentials. */
export function isCredentialRefusal(message: string): boolean {
  return refused.test(message);
}

/** Returns whether the SDK could not parse a response, because it was cut off or does not come from AWS. */
export function isMalformed(error: unknown): error is Error {
  return error instanceof SyntaxError || (error instanceof Error && "$responseBodyText" in error);
}

/** Converts an SDK error to a fault. `doing` completes the message "AWS could not ...". */
export function toCloudFault(error: unknown, doing: string): Fault {
  if (error instanceof Fault) return error;
  const { name = "", code = "" } = error as { readonly name?: string; readonly code?: string };
  const definition = isCredentialRefusal(name)
    ? cloudsFaults.credentials_refused
    : denied.test(name)
      ? cloudsFaults.not_allowed
      : throttled.test(name)
        ? cloudsFaults.throttled
        : unreachable.test(name) || unreachable.test(code)
          ? cloudsFaults.unreachable
          : cloudsFaults.failed;
  // The SDK's error contains the response, which may contain credentials.
  if (isMalformed(error)) return new Fault(definition, `AWS could not ${doing}: the response is incomplete or malformed`);
  const reason = describeError(error) || code || name;
  return new Fault(definition, `AWS could not ${doing}: ${name}: ${reason}`, { cause: error });
}
