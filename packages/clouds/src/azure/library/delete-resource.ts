import type { DeleteOptions } from "../../library/call-options.ts";
import { isCloudFault } from "../../library/errors.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { AzureContext } from "./context.ts";

export interface ResourceDeletion {
  /** How messages refer to the resource. */
  readonly what: string;
  /** Returns the provisioning state, or undefined if the resource does not exist. */
  readonly read: () => Promise<string | undefined>;
  readonly send: () => Promise<unknown>;
}

/**
 * Deletes a resource. Sends the deletion again if Azure refuses it because the resource is in use or being changed, or if the deletion
 * failed. Succeeds even if the resource does not exist.
 */
export async function deleteResource(
  { clock }: AzureContext,
  { signal, timeoutMs, wait = "gone", onStatus }: DeleteOptions & { readonly timeoutMs: number },
  { what, read, send }: ResourceDeletion,
): Promise<void> {
  let isAccepted = false;
  let refusal: Error | undefined;
  try {
    await waitFor<string | undefined>(clock, {
      cloud: "azure",
      timeoutMs,
      signal,
      describe: (last) => `${what} is still ${last === undefined || last === "" ? "there" : last}`,
      async read() {
        const state = await read();
        if (state === undefined) return undefined;
        onStatus?.("deleting", state);
        if (state === "Deleting") {
          isAccepted = true;
          return state;
        }
        // After an accepted deletion, Azure may show the old state for a moment.
        if (isAccepted && state !== "Failed") return state;
        try {
          await send();
          isAccepted = true;
        } catch (error) {
          if (isCloudFault(error, "not_found")) return undefined;
          if (!isCloudFault(error, "conflict")) throw error;
          refusal = error;
        }
        return state;
      },
      isDone: (state) => state === undefined || (isAccepted && wait === "accepted"),
    });
  } catch (error) {
    // Azure's reason is more helpful than the timeout.
    if (isCloudFault(error, "timeout") && !isAccepted && refusal !== undefined) throw refusal;
    throw error;
  }
}
