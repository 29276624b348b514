/** One reason why an object is invalid. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** The details of a Kubernetes Status object. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/**
 * An error in the form of a Kubernetes Status, which clients parse. It is not a Fault, because it never leaves the Kubernetes API.
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

  /** Returns the Status object that is sent to the client. */
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

/** Returns the resource name as messages show it, such as `deployments.apps`. */
export function qualified({ group, resource }: Subject): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** Creates the error for a missing object. */
export function notFound(subject: Subject, name: string): StatusError {
  const details = { name, ...(subject.group !== "" && { group: subject.group }), kind: subject.resource };
  return new StatusError(404, "NotFound", `${qualified(subject)} "${name}" not found`, details);
}

/** Creates the error for a name that is already taken. */
export function alreadyExists(subject: Subject, name: string): StatusError {
  const details = { name, ...(subject.group !== "" && { group: subject.group }), kind: subject.resource };
  return new StatusError(409, "AlreadyExists", `${qualified(subject)} "${name}" already exists`, details);
}

/** Creates the error for a change that conflicts with a concurrent one, or that the object's current state forbids. */
export function conflict(subject: Subject, name: string, why: string): StatusError {
  const details = { name, ...(subject.group !== "" && { group: subject.group }), kind: subject.resource };
  return new StatusError(409, "Conflict", `Operation cannot be fulfilled on ${qualified(subject)} "${name}": ${why}`, details);
}

/** Message of the conflict that an outdated resourceVersion causes. */
export const changedMeanwhile = "the object has been modified; please apply your changes to the latest version and try again";

/** Creates the error for a malformed request. */
export function badRequest(message: string): StatusError {
  return new StatusError(400, "BadRequest", message);
}

/** Creates the error for an object that violates validation rules. Each cause names a field. */
export function invalid(group: string, kind: string, name: string, causes: readonly StatusCause[]): StatusError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const subject = group === "" ? kind : `${kind}.${group}`;
  const details = { name, ...(group !== "" && { group }), kind, causes };
  return new StatusError(422, "Invalid", `${subject} "${name}" is invalid: ${list}`, details);
}

/** Creates the error for a watch that starts at a version that is too old. The client must list the objects again. */
export function expired(message: string): StatusError {
  return new StatusError(410, "Expired", message);
}

/** Creates the error for an unknown path. */
export function noSuchPath(): StatusError {
  return new StatusError(404, "NotFound", "the server could not find the requested resource", {});
}

/** Creates the error for a method that the path does not support. */
export function methodNotAllowed(): StatusError {
  return new StatusError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}
