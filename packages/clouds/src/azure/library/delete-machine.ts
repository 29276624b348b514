import type { DeleteOptions } from "../../library/call-options.ts";
import type { AzureContext } from "./context.ts";
import { deleteResource } from "./delete-resource.ts";
import { libraryOperations } from "./operations.ts";
import { findAt, machinePath } from "./read-machines.ts";
import type { AzurePlace } from "./references.ts";

/** Deletes a machine. Azure also deletes the disk and the network interface that the library attached to it. */
export async function deleteMachine(
  context: AzureContext,
  place: AzurePlace,
  options: DeleteOptions & { readonly timeoutMs: number },
): Promise<void> {
  const what = `the virtual machine ${place.name}`;
  const request = { path: machinePath(place), signal: options.signal };
  // The state of a machine whose creation failed stays `Failed`, so it says nothing about the deletion.
  let isSent = false;
  await deleteResource(context, options, {
    what,
    read: async () => {
      const machine = await findAt(context, place, options.signal);
      const state = machine?.properties?.provisioningState ?? "";
      if (machine === undefined) return undefined;
      return isSent && state === "Failed" ? "" : state;
    },
    send: async () => {
      await context.api.call(`delete ${what}`, libraryOperations.deleteMachine, request);
      isSent = true;
    },
  });
}
