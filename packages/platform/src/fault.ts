/** What sort of trouble it is; decides the HTTP status and the gRPC code. */
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

/** Whether trying the same call again can help: never, with growing pauses, or after a stated time. */
export type FaultRetry = "never" | "backoff" | "after";

/** One entry of a room's registry: a code, what it means and what the reader can do. */
export interface FaultDefinition {
  readonly code: string;
  readonly kind: FaultKind;
  readonly retry: FaultRetry;
  /** Where HTTP has a status of its own for this code, instead of its kind's. */
  readonly httpStatus?: number;
  /** One sentence for the reference page: when this happens. */
  readonly when: string;
  /** What the reader can do about it. */
  readonly help: string;
}

/** One wrong part of an input. */
export interface FieldViolation {
  /** Path of the field in the caller's own words: `spec.cidr`. */
  readonly field: string;
  readonly message: string;
  /** What can be done about this part, where that differs from what the whole fault says. */
  readonly help?: string;
  /** The code that this part alone would be refused with, where it can be answered by another request. */
  readonly code?: string;
}

interface FaultDetails {
  readonly fields?: readonly FieldViolation[];
  readonly retryAfterMs?: number;
  /** More for programs, for example the current resourceVersion. Never a secret. */
  readonly extra?: Readonly<Record<string, string | number | boolean>>;
  readonly cause?: unknown;
}

/** The one error class. It carries a registered code; its message says what, where and with which input, in one line. */
export class Fault extends Error {
  readonly code: string;
  readonly kind: FaultKind;
  readonly retry: FaultRetry;
  readonly help: string;
  readonly fields: readonly FieldViolation[];
  readonly retryAfterMs: number | undefined;
  readonly httpStatus: number;
  readonly extra: Readonly<Record<string, string | number | boolean>>;

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
  }
}

/** Declares a room's fault codes; the room's name goes in front of each reason. */
export function defineFaults<Reasons extends string>(
  room: string,
  reasons: Record<Reasons, Omit<FaultDefinition, "code" | "retry"> & { retry?: FaultRetry }>,
): Record<Reasons, FaultDefinition> {
  const entries = Object.entries<Omit<FaultDefinition, "code" | "retry"> & { retry?: FaultRetry }>(reasons);
  return Object.fromEntries(
    entries.map(([reason, rest]) => [reason, { retry: "never", ...rest, code: `${room}.${reason}` }]),
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

/** The HTTP status that a fault of this definition is answered with. */
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

/** The gRPC code of a kind; Connect uses the same numbers. */
export function grpcCodeOf(kind: FaultKind): (typeof grpcCodeByKind)[FaultKind] {
  return grpcCodeByKind[kind];
}

/** Any thrown value as one line of text. */
export function describeError(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === "string" ? error : JSON.stringify(error);
}
