/** Category of a fault. It determines the HTTP status and the gRPC code. */
export type FaultKind =
  | "invalid"
  | "unauthenticated"
  | "denied"
  | "not_found"
  | "conflict"
  | "gone"
  | "exhausted"
  | "unavailable"
  | "internal";

/** When a caller may retry: `never`, with increasing delays (`backoff`), or after the fault's `retryAfterMs` (`after`). */
export type FaultRetry = "never" | "backoff" | "after";

/** An entry in a package's fault registry. */
export interface FaultDefinition {
  readonly code: string;
  readonly kind: FaultKind;
  readonly retry: FaultRetry;
  /** HTTP status, if it differs from the default for the fault's kind. */
  readonly httpStatus?: number;
  /** A sentence that says when the fault occurs, for the error reference. */
  readonly when: string;
  /** What the user can do next. */
  readonly help: string;
}

/** An invalid field of a request. */
export interface FieldViolation {
  /** Path of the field as the caller wrote it, such as `spec.cidr`. */
  readonly field: string;
  readonly message: string;
  /** What to do about this field, if it differs from the fault's own help. */
  readonly help?: string;
  /** Code of the fault that this field alone would cause. Set only if the user can resolve the problem with another request. */
  readonly code?: string;
}

interface FaultDetails {
  readonly fields?: readonly FieldViolation[];
  readonly retryAfterMs?: number;
  /** Additional data for programs, such as the current resourceVersion. Never contains a secret. */
  readonly extra?: Readonly<Record<string, string | number | boolean>>;
  /** Cloud resources that the failed operation left behind, one line each. */
  readonly left?: readonly string[];
  readonly cause?: unknown;
}

/** The platform's only error class. Each fault has a registered code and a one-line message: what happened, where, and with which input. */
export class Fault extends Error {
  readonly code: string;
  readonly kind: FaultKind;
  readonly retry: FaultRetry;
  readonly help: string;
  readonly fields: readonly FieldViolation[];
  readonly retryAfterMs: number | undefined;
  readonly httpStatus: number;
  readonly extra: Readonly<Record<string, string | number | boolean>>;
  readonly left: readonly string[];

  constructor(definition: FaultDefinition, message: string, details: FaultDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "Fault";
    this.code = definition.code;
    this.kind = definition.kind;
    this.retry = definition.retry;
    this.help = definition.help;
    this.fields = details.fields ?? [];
    this.retryAfterMs = details.retryAfterMs;
    this.httpStatus = httpStatusOf(definition);
    this.extra = details.extra ?? {};
    this.left = details.left ?? [];
  }
}

/** Returns a copy of the fault with a list of the cloud resources that were left behind, and with another message if one is given. */
export function withLeft(fault: Fault, left: readonly string[], message = fault.message): Fault {
  const { code, kind, retry, help, httpStatus, retryAfterMs, fields, extra } = fault;
  const details = { fields, extra, left, cause: fault, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return new Fault({ code, kind, retry, help, httpStatus, when: "" }, message, details);
}

/** Declares a package's fault codes. Each code has the form `package.reason`. */
export function defineFaults<Reasons extends string>(
  packageName: string,
  reasons: Record<Reasons, Omit<FaultDefinition, "code" | "retry"> & { retry?: FaultRetry }>,
): Record<Reasons, FaultDefinition> {
  const entries = Object.entries<Omit<FaultDefinition, "code" | "retry"> & { retry?: FaultRetry }>(reasons);
  return Object.fromEntries(
    entries.map(([reason, rest]) => [reason, { retry: "never", ...rest, code: `${packageName}.${reason}` }]),
  ) as Record<Reasons, FaultDefinition>;
}

const httpStatusByKind: Record<FaultKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  denied: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  exhausted: 429,
  unavailable: 503,
  internal: 500,
};

export function httpStatusOf(definition: Pick<FaultDefinition, "kind" | "httpStatus">): number {
  return definition.httpStatus ?? httpStatusByKind[definition.kind];
}

const grpcCodeByKind = {
  invalid: { name: "INVALID_ARGUMENT", number: 3 },
  unauthenticated: { name: "UNAUTHENTICATED", number: 16 },
  denied: { name: "PERMISSION_DENIED", number: 7 },
  not_found: { name: "NOT_FOUND", number: 5 },
  conflict: { name: "ABORTED", number: 10 },
  gone: { name: "OUT_OF_RANGE", number: 11 },
  exhausted: { name: "RESOURCE_EXHAUSTED", number: 8 },
  unavailable: { name: "UNAVAILABLE", number: 14 },
  internal: { name: "INTERNAL", number: 13 },
} as const satisfies Record<FaultKind, { name: string; number: number }>;

/** Returns the gRPC code for a kind of fault. Connect uses the same numbers. */
export function grpcCodeOf(kind: FaultKind): (typeof grpcCodeByKind)[FaultKind] {
  return grpcCodeByKind[kind];
}

/** Renders any thrown value as a single line. */
export function describeError(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === "string" ? error : JSON.stringify(error);
}
