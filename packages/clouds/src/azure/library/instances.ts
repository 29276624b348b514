import type { CallOptions, WaitOptions } from "../../library/call-options.ts";
import { isCloudFault } from "../../library/errors.ts";
import type { InstanceInfo, Instances } from "../../library/instances.ts";
import { waitFor } from "../../library/wait-for.ts";
import { toLibraryFault } from "../errors.ts";
import type { RetrieveBootDiagnosticsDataResult, VirtualMachine } from "../machine-models.ts";
import { isMissing } from "../refusals.ts";
import { tokenTag, type AzureContext } from "./context.ts";
import { createMachine } from "./create-instance.ts";
import { deleteMachine } from "./delete-machine.ts";
import { removeParts } from "./machine-parts.ts";
import { libraryOperations } from "./operations.ts";
import { describeMachine, findAt, findMachine, listInstances, machinePath, missMachine, placeOf } from "./read-machines.ts";
import { describeFailed, isReady, limitWaits } from "./readiness.ts";
import { machineKind, readReference, type AzurePlace } from "./references.ts";

const readyMs = 10 * 60_000;

/** A new machine may be missing from responses for a while. */
const appearMs = 2 * 60_000;

type Limits = WaitOptions & { readonly timeoutMs: number };

/** Creates the library's client for Azure virtual machines. */
export function createInstances(context: AzureContext): Instances {
  const find = async (ref: string, { signal }: CallOptions): Promise<InstanceInfo | undefined> => {
    const found = await findMachine(context, ref, signal);
    return found === undefined ? undefined : describeMachine(context, found, signal);
  };
  const locate = async (ref: string, { signal }: CallOptions): Promise<AzurePlace> => {
    const found = await findMachine(context, ref, signal);
    if (found === undefined) throw missMachine(context, ref);
    return placeOf(context, found);
  };
  return {
    find: (ref, options = {}) => find(ref, options),
    async get(ref, options = {}) {
      const found = await find(ref, options);
      if (found === undefined) throw missMachine(context, ref);
      return found;
    },
    list: ({ region = context.options.location, tags = {}, signal } = {}) => listInstances(context, { region, tags, signal }),
    async create(request, options = {}) {
      const { wait = "accepted", timeoutMs = readyMs } = options;
      const limits = limitWaits(context, timeoutMs, options);
      return createMachine(context, request, options, limits, (place) =>
        wait === "ready"
          ? waitUntil(context, place, limits(), isRunning(place), appearMs)
          : waitUntil(context, place, { ...limits(), timeoutMs: appearMs }, () => true, appearMs),
      );
    },
    async stop(ref, options = {}) {
      const place = await locate(ref, options);
      // A machine that was shut down from inside its operating system is `stopped`, but Azure charges for it until it is deallocated.
      const isDone = ({ status, nativeStatus }: InstanceInfo): boolean =>
        options.wait === "accepted" ? status === "stopping" || status === "stopped" : nativeStatus === "PowerState/deallocated";
      return changeMachine(context, place, "stop", options, isDone);
    },
    async start(ref, options = {}) {
      const place = await locate(ref, options);
      return changeMachine(context, place, "start", options, ({ status }) =>
        options.wait === "accepted" ? status === "pending" || status === "running" : status === "running",
      );
    },
    async terminate(ref, options = {}) {
      await terminate(context, ref, options);
    },
    async waitReady(ref, options = {}) {
      const limits = limitWaits(context, options.timeoutMs ?? readyMs, options);
      const place = await locate(ref, options);
      return waitUntil(context, place, limits(), isRunning(place));
    },
    async readConsole(ref, options = {}) {
      return readConsole(context, await locate(ref, options), options);
    },
  };
}

function isRunning({ name }: AzurePlace): (machine: InstanceInfo) => boolean {
  return (machine) => isReady({ ...machine, name: `the virtual machine ${name}` });
}

async function waitUntil(
  context: AzureContext,
  place: AzurePlace,
  { timeoutMs, signal, onStatus }: Limits,
  isDone: (machine: InstanceInfo) => boolean,
  notFoundMs = 0,
): Promise<InstanceInfo> {
  return waitFor(context.clock, {
    cloud: "azure",
    timeoutMs,
    signal,
    notFoundMs,
    describe: (last) => `the virtual machine ${place.name} is still ${last?.nativeStatus ?? "unknown"}`,
    read: async () => describeMachine(context, await readAt(context, place, signal), signal),
    isDone(machine) {
      onStatus?.(machine.status, machine.nativeStatus);
      return isDone(machine);
    },
  });
}

async function readAt(context: AzureContext, place: AzurePlace, signal: AbortSignal | undefined): Promise<VirtualMachine> {
  const found = await findAt(context, place, signal);
  if (found === undefined) throw missMachine(context, place.name);
  return found;
}

/** Sends a change and waits for its result. Sends it again if Azure refuses it because of another change in progress. */
export async function changeMachine(
  context: AzureContext,
  place: AzurePlace,
  verb: "start" | "stop",
  options: WaitOptions,
  isDone: (machine: InstanceInfo) => boolean,
): Promise<InstanceInfo> {
  const { signal } = options;
  const limits = limitWaits(context, options.timeoutMs ?? readyMs, options);
  const operation = verb === "start" ? libraryOperations.startMachine : libraryOperations.deallocateMachine;
  await waitFor(context.clock, {
    cloud: "azure",
    ...limits(),
    describe: () => `the virtual machine ${place.name} is still being changed`,
    async read() {
      try {
        await context.api.call(`${verb} the virtual machine ${place.name}`, operation, { path: machinePath(place), signal });
        return true;
      } catch (error) {
        if (isCloudFault(error, "conflict")) return false;
        throw error;
      }
    },
    isDone: (isAccepted) => isAccepted,
  });
  // Directly after the request, Azure may still return an old failure, which the change may repair.
  let isStarted = false;
  return waitUntil(context, place, limits(), (machine) => {
    if (isDone(machine)) return true;
    isStarted ||= machine.status !== "failed";
    if (machine.status === "terminating" || (isStarted && machine.status === "failed"))
      throw describeFailed({ ...machine, name: `the virtual machine ${place.name}` });
    return false;
  });
}

/**
 * Deletes a machine and the resources that the library created for it. Also removes what an interrupted creation or deletion left behind.
 */
async function terminate(
  context: AzureContext,
  ref: string,
  options: NonNullable<Parameters<Instances["terminate"]>[1]>,
): Promise<void> {
  const { signal, wait = "gone" } = options;
  const limits = limitWaits(context, options.timeoutMs ?? readyMs, options);
  const machine = await findMachine(context, ref, signal);
  const place = machine === undefined ? readReference(context, machineKind, ref) : placeOf(context, machine);
  if (machine !== undefined) {
    await deleteMachine(context, place, { ...limits(), wait });
    // Azure deletes these resources together with the machine, because they are configured that way.
    if (wait === "accepted") return;
  }
  const token = machine?.tags?.[tokenTag];
  await removeParts(context, place, { tokens: token === undefined ? [] : [token], isOnlyThese: false }, limits);
}

/** Reads the serial console through the signed link that Azure issues. */
export async function readConsole(
  { api, sendAnonymously }: AzureContext,
  place: AzurePlace,
  { signal }: CallOptions,
): Promise<string> {
  const doing = `read the console of the virtual machine ${place.name}`;
  const { serialConsoleLogBlobUri: link = "" } = await api.call<RetrieveBootDiagnosticsDataResult>(
    doing,
    libraryOperations.readBootDiagnostics,
    { path: machinePath(place), signal },
  );
  if (link === "") return "";
  try {
    const { bodyAsText } = await sendAnonymously("GET", link, { signal });
    return bodyAsText ?? "";
  } catch (error) {
    signal?.throwIfAborted();
    if (isMissing(error)) return "";
    throw toLibraryFault(error, doing);
  }
}
