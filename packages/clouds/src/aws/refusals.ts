import { describeError, Fault } from "@cloudwright/platform";
import { cloudsFaults } from "../faults.ts";

// Services call the same thing by different names; the last ones are what the SDKs say when there is nothing to sign with.
const refused =
  /\b(InvalidClientTokenId|UnrecognizedClientException|InvalidAccessKeyId|SignatureDoesNotMatch|AuthFailure|ExpiredToken(Exception)?|RequestExpired|TokenRefreshRequired|InvalidToken|IncompleteSignature|InvalidSignatureException|MissingAuthenticationToken|CredentialsProviderError|No valid credential sources found|failed to refresh cached credentials)\b/;
const denied = /^(AccessDenied(Exception)?|UnauthorizedOperation|UnauthorizedAccess|AuthorizationError|Forbidden)$/;
const throttled =
  /^(Throttling(Exception)?|ThrottledException|TooManyRequests(Exception)?|RequestLimitExceeded|SlowDown|BandwidthLimitExceeded)$/;
const unreachable = /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|TimeoutError|NetworkingError)$/;

/** Whether the words of an error, the SDK's or Terraform's, say that credentials are not taken. */
export function isCredentialRefusal(words: string): boolean {
  return refused.test(words);
}

/** An error of the SDK as a fault that says what was being done. */
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
  const words = describeError(error) || code || name;
  return new Fault(definition, `AWS, asked to ${doing}, says ${name}: ${words}`, { cause: error });
}
