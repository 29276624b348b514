/** One reason why an object is not valid. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** What Kubernetes' own Status object says about what it is about. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/**
 * An answer that refuses, in the words of Kubernetes' protocol: clients read its Status, so that it is no Fault of ours.
 * It never leaves the Kubernetes API.
 */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  /** The object that goes over the wire. */
  toStatus(): Record<string, unknown> {
    const { code, reason, message, details } = this;
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason,
      ...(details && { details }),
      code,
    };
  }
}

interface Subject {
  readonly group: string;
  readonly resource: string;
}

/** `deployments.apps`, as messages name a resource. */
export function qualified({ group, resource }: Subject): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** There is no such object. */
export function notFound(subject: Subject, name: string): StatusError {
  const details = { name, ...(subject.group !== "" && { group: subject.group }), kind: subject.resource };
  return new StatusError(404, "NotFound", `${qualified(subject)} "${name}" not found`, details);
}

/** There is an object of that name. */
export function alreadyExists(subject: Subject, name: string): StatusError {
  const details = { name, ...(subject.group !== "" && { group: subject.group }), kind: subject.resource };
  return new StatusError(409, "AlreadyExists", `${qualified(subject)} "${name}" already exists`, details);
}

/** Somebody else changed the object, or something stands against the change. */
export function conflict(subject: Subject, name: string, why: string): StatusError {
  const details = { name, ...(subject.group !== "" && { group: subject.group }), kind: subject.resource };
  return new StatusError(409, "Conflict", `Operation cannot be fulfilled on ${qualified(subject)} "${name}": ${why}`, details);
}

/** What `conflict` says when the resourceVersion is not the current one. */
export const changedMeanwhile = "the object has been modified; please apply your changes to the latest version and try again";

/** The request cannot be understood. */
export function badRequest(message: string): StatusError {
  return new StatusError(400, "BadRequest", message);
}

/** The object breaks rules; each cause names a field. */
export function invalid(group: string, kind: string, name: string, causes: readonly StatusCause[]): StatusError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const subject = group === "" ? kind : `${kind}.${group}`;
  const details = { name, ...(group !== "" && { group }), kind, causes };
  return new StatusError(422, "Invalid", `${subject} "${name}" is invalid: ${list}`, details);
}

/** The wanted version is no longer remembered; the client must list again. */
export function expired(message: string): StatusError {
  return new StatusError(410, "Expired", message);
}

/** Nothing is served under this path. */
export function noSuchPath(): StatusError {
  return new StatusError(404, "NotFound", "the server could not find the requested resource", {});
}

/** The verb is not served here. */
export function methodNotAllowed(): StatusError {
  return new StatusError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}
