import type { CallOptions, WaitOptions } from "../../library/call-options.ts";
import { describeStatusReason } from "../errors.ts";
import type { AzureContext } from "./context.ts";

/** The fields of a cluster, node pool or machine that determine whether a wait is over. */
export interface Observed {
  readonly name: string;
  readonly status: string;
  readonly nativeStatus: string;
  readonly statusReason?: string;
}

/** Returns whether a cluster, node pool or machine is running. Throws if it failed, is stopped or is being deleted. */
export function isReady(observed: Observed, { onStatus }: Pick<WaitOptions, "onStatus"> = {}): boolean {
  const { status, nativeStatus } = observed;
  onStatus?.(status, nativeStatus);
  if (["failed", "deleting", "stopped", "terminating"].includes(status)) throw describeFailed(observed);
  return status === "running";
}

/** Returns the fault for a resource that will not become ready, with Azure's reason. */
export function describeFailed(observed: Observed): Error {
  const { name, nativeStatus, statusReason = "" } = observed;
  const [code = ""] = /^\w+(?=: )/.exec(statusReason) ?? [];
  return describeStatusReason(`${name} is ${nativeStatus}${describeReason(observed)}`, { code, message: statusReason });
}

/** Returns Azure's reason in parentheses, or an empty string. */
export function describeReason({ statusReason }: Pick<Observed, "statusReason">): string {
  return statusReason === undefined ? "" : ` (${statusReason})`;
}

/** Returns a function that creates the options for the next wait of a call. All waits of the call share one time limit. */
export function limitWaits(
  { clock }: Pick<AzureContext, "clock">,
  timeoutMs: number,
  { signal, onStatus }: CallOptions & Pick<WaitOptions, "onStatus">,
): () => WaitOptions & { readonly timeoutMs: number } {
  const endMs = clock.now() + timeoutMs;
  return () => ({
    timeoutMs: Math.max(0, endMs - clock.now()),
    ...(signal === undefined ? {} : { signal }),
    ...(onStatus === undefined ? {} : { onStatus }),
  });
}
