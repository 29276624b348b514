import { Fault, type FaultDefinition } from "@cloudwright/platform/fault";
import { cloudsFaults } from "../faults.ts";

export const errorCategories = [
  "auth",
  "denied",
  "quota",
  "not_found",
  "throttled",
  "conflict",
  "invalid",
  "timeout",
  "unavailable",
] as const;

/** The category of a failed call. All clouds use the same categories. */
export type ErrorCategory = (typeof errorCategories)[number];

/** A failed call to a cloud, with the cloud's own error code and request ID. */
export type CloudFault = Fault & { readonly extra: CloudFaultFacts };

/** Data of a `CloudFault`. Strings are empty and `status` is 0 if there was no response. */
export interface CloudFaultFacts {
  readonly [name: string]: string | number | boolean;
  readonly cloud: string;
  readonly category: ErrorCategory;
  /** The cloud's own error code, such as `ResourceNotFoundException`. */
  readonly nativeCode: string;
  /** HTTP status of the response. */
  readonly status: number;
  /** The cloud's ID for the request, for use in support cases with the cloud. */
  readonly requestId: string;
  /** Whether the cloud has no capacity in this location. A request for another zone or machine type may succeed. */
  readonly isCapacity: boolean;
}

/** Returns whether an error is a failed call to a cloud. If categories are given, the error must have one of them. */
export function isCloudFault(error: unknown, ...categories: readonly ErrorCategory[]): error is CloudFault {
  if (!(error instanceof Fault)) return false;
  const { category } = error.extra as Partial<CloudFaultFacts>;
  if (category === undefined || !errorCategories.includes(category)) return false;
  return categories.length === 0 || categories.includes(category);
}

/** A row of a cloud's error table. A row matches if all of its conditions are met. The first matching row decides. */
export interface ErrorRule {
  readonly category: ErrorCategory;
  /** Tested against the cloud's error code. */
  readonly code?: RegExp;
  readonly status?: number;
  /** Tested against the message. */
  readonly message?: RegExp;
  readonly isCapacity?: boolean;
  /** A more specific fault than the category's default. */
  readonly fault?: FaultDefinition;
}

/** The known facts about a failed call. */
export interface NativeError {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly requestId: string;
}

/** Returns the first rule that matches an error. Without a match, 4xx is `invalid` and everything else `unavailable`. */
export function matchError(rules: readonly ErrorRule[], { code, status, message }: NativeError): ErrorRule {
  const found = rules.find(
    (rule) =>
      (rule.code === undefined || rule.code.test(code)) &&
      (rule.status === undefined || rule.status === status) &&
      (rule.message === undefined || rule.message.test(message)),
  );
  return found ?? { category: status >= 400 && status < 500 ? "invalid" : "unavailable" };
}

const definitions: Readonly<Record<ErrorCategory, FaultDefinition>> = {
  auth: cloudsFaults.credentials_refused,
  denied: cloudsFaults.not_allowed,
  quota: cloudsFaults.quota,
  not_found: cloudsFaults.not_found,
  throttled: cloudsFaults.throttled,
  conflict: cloudsFaults.conflict,
  invalid: cloudsFaults.invalid,
  timeout: cloudsFaults.timeout,
  unavailable: cloudsFaults.failed,
};

/** Creates a `CloudFault`. Omitted facts mean that there was no response. */
export function createCloudFault(
  message: string,
  { category, cloud, ...facts }: Partial<CloudFaultFacts> & Pick<CloudFaultFacts, "category" | "cloud">,
  { fault = definitions[category], cause }: { readonly fault?: FaultDefinition; readonly cause?: unknown } = {},
): CloudFault {
  const extra = { cloud, category, nativeCode: "", status: 0, requestId: "", isCapacity: false, ...facts };
  return new Fault(fault, message, { extra, ...(cause === undefined ? {} : { cause }) }) as CloudFault;
}

/** Creates the fault for a request that cannot succeed, before anything is sent. */
export function refuseRequest(cloud: string, message: string): CloudFault {
  return createCloudFault(message, { cloud, category: "invalid" });
}

/**
 * Returns undefined if the cloud rejects a read. Early checks use this, so that callers without permission for the read are not blocked by
 * the check.
 */
export async function ifReadable<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isCloudFault(error)) return undefined;
    throw error;
  }
}

/** Returns undefined if `work` rejects with `clouds.not_found`. Other errors are rethrown. */
export async function orUndefined<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isCloudFault(error, "not_found")) return undefined;
    throw error;
  }
}
