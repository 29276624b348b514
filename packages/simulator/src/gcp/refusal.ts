import type { Change, Problem } from "../provider/definition.ts";

/** The reason and message with which Google Cloud rejects a call. */
export interface Refusal {
  /** The reason, such as `notFound` or `resourceInUseByAnotherResource`. */
  readonly code: string;
  readonly message: string;
  /** The HTTP status. Default: 400. */
  readonly status?: number;
  /** The attribute that caused the error. */
  readonly path?: readonly (string | number)[];
  /** The complete error message, if the provider itself rejects the change before it calls Google Cloud. */
  readonly summary?: string;
}

/** Renders an error in the real provider's wording, so that tools that parse provider output can find the reason. */
export function describeRefusal(noun: string, operation: Change["operation"], id: string, refusal: Refusal): Problem {
  const { code, message, status = 400, path, summary } = refusal;
  const call = { create: `creating ${noun}`, update: `updating ${noun} "${id}"`, delete: `when reading or editing ${noun}` };
  return {
    summary: summary ?? `Error ${call[operation]}: googleapi: Error ${status}: ${message}, ${code}`,
    ...(path === undefined ? {} : { path }),
    refusal: { code, message, status },
  };
}

/** Returns the error for a resource that does not exist. */
export function refuseMissing(id: string): Refusal {
  return { code: "notFound", message: `The resource '${id}' was not found`, status: 404 };
}

/** Returns the error for a field whose value does not have the required format. */
export function refuseValue(field: string, value: string, pattern: string, path: readonly (string | number)[]): Refusal {
  const message = `Invalid value for field '${field}': '${value}'. Must be a match of regex '${pattern}'`;
  return { code: "invalid", message, path };
}

/** Returns the error for an exhausted quota. `metric` is the name of the quota, such as `NETWORKS`. */
export function refuseQuota(metric: string, limit: number, where: string): Refusal {
  return { code: "quotaExceeded", message: `Quota '${metric}' exceeded.  Limit: ${limit}.0 ${where}.`, status: 403 };
}
