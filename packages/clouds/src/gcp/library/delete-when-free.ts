import type { DeleteOptions } from "../../library/call-options.ts";
import { isCloudFault, orUndefined } from "../../library/errors.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { GcpContext } from "./context.ts";

export interface Deletion {
  /** The beginning of the message "... is still RUNNING". */
  readonly what: string;
  /** Status while Google Cloud deletes the resource. */
  readonly deleting: string;
  /** Returns the native status. Throws `clouds.not_found` if the resource does not exist. */
  readonly read: () => Promise<string>;
  readonly send: () => Promise<void>;
}

/**
 * Deletes a resource and waits until it no longer exists, or only until Google Cloud has accepted the deletion. Sends the deletion again
 * if Google Cloud rejects it because of another change, or if it fails after it was accepted.
 */
export async function deleteWhenFree(
  { clock }: Pick<GcpContext, "clock">,
  { wait = "gone", timeoutMs, signal, onStatus }: DeleteOptions & { readonly timeoutMs: number },
  { what, deleting, read, send }: Deletion,
): Promise<void> {
  let isAccepted = false;
  await waitFor<string | undefined>(clock, {
    cloud: "gcp",
    timeoutMs,
    signal,
    describe: (last) => `${what} is still ${last ?? "there"}`,
    async read() {
      const status = await orUndefined(read());
      if (status === undefined) return undefined;
      onStatus?.("deleting", status);
      if (status === deleting) {
        isAccepted = true;
        return status;
      }
      try {
        await send();
        isAccepted = true;
      } catch (error) {
        if (isCloudFault(error, "not_found")) return undefined;
        if (!isCloudFault(error, "conflict")) throw error;
      }
      return status;
    },
    isDone: (status) => status === undefined || (isAccepted && wait === "accepted"),
  });
}
