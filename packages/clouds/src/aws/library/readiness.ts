import type { WaitOptions } from "../../library/call-options.ts";
import { describeStatusReason } from "../errors.ts";

/** The fields of a cluster or node pool that determine whether a wait is over. */
export interface Observed {
  readonly name: string;
  readonly status: string;
  readonly nativeStatus: string;
  readonly statusReason?: string;
}

/** Returns whether a cluster or node pool is running. Throws if it failed or is being deleted. */
export function isReady(observed: Observed, { onStatus }: Pick<WaitOptions, "onStatus">): boolean {
  const { name, status, nativeStatus, statusReason = "" } = observed;
  onStatus?.(status, nativeStatus);
  if (status === "failed" || status === "deleting") {
    const [code = ""] = statusReason.split(":");
    throw describeStatusReason(`${name} is ${nativeStatus}${describeReason(observed)}`, { code, message: statusReason });
  }
  return status === "running";
}

/** Returns the cloud's reason in parentheses, or an empty string. */
export function describeReason({ statusReason }: Pick<Observed, "statusReason">): string {
  return statusReason === undefined ? "" : ` (${statusReason})`;
}
