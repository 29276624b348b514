import { isCloudFault } from "../../library/errors.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { Operation } from "../models.ts";
import type { GcpContext } from "./context.ts";
import { checkZoneOperation, isComputeOperationDone } from "./operations.ts";

/** A change to a resource of Compute Engine. */
export interface ComputeChange {
  /** Completes the message "Google Cloud could not ...". */
  readonly doing: string;
  readonly action: string;
  readonly method: "POST" | "PUT" | "DELETE";
  /** Path of the resource or its collection, such as `projects/p/zones/z/disks`. */
  readonly path: string;
  /** Compute Engine ignores a second request with the same ID. */
  readonly requestId: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/**
 * Sends a change and waits until Compute Engine has finished it. Sends it again if another change to the resource is in progress, but not if
 * another resource uses it.
 */
export async function runChange(
  context: GcpContext,
  { doing, action, method, path, requestId, query, body }: ComputeChange,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<void> {
  const [scope = ""] = /^projects\/[^/]+\/(global|[a-z]+\/[^/]+)/.exec(path) ?? [];
  let name: string | undefined;
  await waitFor(context.clock, {
    cloud: "gcp",
    timeoutMs,
    signal,
    describe: () => `Google Cloud is still busy with the request to ${doing}`,
    async read() {
      if (name === undefined) {
        try {
          const call = { service: "compute", action, method, path, query: { ...query, requestId }, signal } as const;
          const operation = await context.api.call<Operation>(doing, body === undefined ? call : { ...call, body });
          checkZoneOperation(doing, operation);
          name = operation.name ?? "";
          if (operation.status === "DONE" || name === "") return true;
        } catch (error) {
          if (isBusy(error)) return false;
          throw error;
        }
      }
      return isComputeOperationDone(context, { scope, name }, { doing, signal });
    },
    isDone: (isFinished) => isFinished,
  });
}

/** Returns whether a request was rejected only because another change to the same resource is in progress. */
function isBusy(error: unknown): boolean {
  if (!isCloudFault(error, "conflict")) return false;
  const { status, nativeCode } = error.extra;
  return status !== 409 && status !== 412 && !/inuse/i.test(nativeCode.replaceAll("_", ""));
}
