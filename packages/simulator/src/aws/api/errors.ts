import type { ApiRefusal } from "../../provider/definition.ts";

/** The protocols of the simulated services. They report the same problem with different codes. */
export type Protocol = "rest-json" | "query" | "ec2";

/** A reason for refusing a request before its operation runs. */
export type AuthProblem = "missing" | "incomplete" | "unknown_key" | "wrong_signature" | "skewed" | "expired" | "wrong_scope";

const codes: Readonly<Record<AuthProblem, Readonly<Record<Protocol, readonly [code: string, status: number]>>>> = {
  missing: {
    "rest-json": ["MissingAuthenticationTokenException", 403],
    query: ["MissingAuthenticationToken", 403],
    ec2: ["MissingAuthenticationToken", 401],
  },
  incomplete: {
    "rest-json": ["IncompleteSignatureException", 403],
    query: ["IncompleteSignature", 403],
    ec2: ["IncompleteSignature", 400],
  },
  unknown_key: {
    "rest-json": ["UnrecognizedClientException", 403],
    query: ["InvalidClientTokenId", 403],
    ec2: ["AuthFailure", 401],
  },
  wrong_signature: {
    "rest-json": ["InvalidSignatureException", 403],
    query: ["SignatureDoesNotMatch", 403],
    ec2: ["AuthFailure", 401],
  },
  skewed: {
    "rest-json": ["InvalidSignatureException", 403],
    query: ["SignatureDoesNotMatch", 403],
    ec2: ["RequestExpired", 400],
  },
  expired: {
    "rest-json": ["ExpiredTokenException", 403],
    query: ["ExpiredToken", 403],
    ec2: ["RequestExpired", 400],
  },
  wrong_scope: {
    "rest-json": ["InvalidSignatureException", 403],
    query: ["SignatureDoesNotMatch", 403],
    ec2: ["AuthFailure", 401],
  },
};

/** Returns the error with which a service refuses an unauthenticated request. */
export function refuseAuth(problem: AuthProblem, protocol: Protocol, message: string): ApiRefusal {
  const [code, status] = codes[problem][protocol];
  return { code, message, status };
}

const fallbacks: Readonly<Record<Protocol, readonly [invalid: string, internal: string]>> = {
  "rest-json": ["InvalidParameterException", "ServerException"],
  query: ["ValidationError", "ServiceFailure"],
  ec2: ["InvalidParameterValue", "InternalError"],
};

const statuses: readonly (readonly [pattern: RegExp, status: number])[] = [
  [/^(RequestLimitExceeded|Unavailable|ServiceUnavailable(Exception)?|InsufficientInstanceCapacity)$/, 503],
  [/^(InternalError|InternalFailure|ServerException|ServiceFailure)$/, 500],
  [/^(ResourceNotFoundException|NoSuchEntity)$/, 404],
  [/^(ResourceInUseException|EntityAlreadyExists|DeleteConflict|LimitExceeded)$/, 409],
  [/^(AccessDenied(Exception)?|UnauthorizedOperation|ExpiredToken(Exception)?|UnrecognizedClientException)$/, 403],
  [/^(AuthFailure)$/, 401],
  [/^(ThrottlingException|TooManyRequestsException)$/, 429],
];

/** Completes an error. A missing code becomes the service's default code, and a missing status becomes the status of the code. */
export function completeRefusal({ code, message, status }: ApiRefusal, protocol: Protocol): Required<ApiRefusal> {
  const [invalid, internal] = fallbacks[protocol];
  const named = code !== "" ? code : (status ?? 400) >= 500 ? internal : invalid;
  return { code: named, message, status: status ?? statuses.find(([pattern]) => pattern.test(named))?.[1] ?? 400 };
}
