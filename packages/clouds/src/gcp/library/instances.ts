import { randomUUID } from "node:crypto";
import type { CallOptions, DeleteOptions, WaitOptions } from "../../library/call-options.ts";
import { createCloudFault, isCloudFault, refuseRequest } from "../../library/errors.ts";
import type { InstanceInfo, Instances, InstanceStatus } from "../../library/instances.ts";
import { tellLeft } from "../../library/tell-left.ts";
import { waitFor } from "../../library/wait-for.ts";
import { describeStatusReason } from "../errors.ts";
import type { Operation, SerialPortOutput } from "../models.ts";
import type { GcpContext } from "./context.ts";
import { insertInstance } from "./create-instance.ts";
import { deleteWhenFree } from "./delete-when-free.ts";
import { renderLabels } from "./labels.ts";
import { checkZoneOperation, isZoneOperationDone } from "./operations.ts";
import { regionOf } from "./places.ts";
import { findInstances, pathOfInstance, readInstance, toInstanceInfo, type InstancePlace } from "./read-compute.ts";
import { describeReason } from "./readiness.ts";
import { readInstanceRef } from "./references.ts";

const readyMs = 10 * 60_000;
const appearMs = 2 * 60_000;

/** Creates the library's client for Compute Engine instances. */
export function createInstances(context: GcpContext): Instances {
  return {
    find: (ref, options = {}) => find(context, ref, options),
    get: (ref, options = {}) => get(context, ref, options),
    async list({ region, tags = {}, signal } = {}) {
      const { region: own, zone } = context.options;
      const place = region ?? own ?? zone;
      const inRegion = place === undefined || place === "all" ? {} : { region: regionOf(place) };
      return (await findInstances(context, { labels: renderLabels(tags), ...inRegion }, signal)).map(toInstanceInfo);
    },
    async create(request, options = {}) {
      const { timeoutMs = readyMs, wait = "accepted" } = options;
      const endMs = context.clock.now() + timeoutMs;
      const place = await insertInstance(context, request, { ...options, timeoutMs });
      const path = pathOfInstance(place);
      return tellLeft({ what: `the instance ${path}`, call: `instances.terminate("${path}")` }, () => {
        if (wait === "ready")
          return waitReady(context, place, { ...options, timeoutMs: Math.max(0, endMs - context.clock.now()) }, appearMs);
        return waitUntil(context, place, { ...options, timeoutMs: appearMs }, { isDone: () => true, notFoundMs: appearMs });
      });
    },
    async stop(ref, options = {}) {
      const { status, place } = await locate(context, ref, options);
      const ends: readonly InstanceStatus[] = options.wait === "accepted" ? ["stopping", "stopped"] : ["stopped"];
      if (status !== "stopped") await changeInstance(context, place, { verb: "stop" }, options);
      return waitUntil(context, place, options, { isDone: (instance) => ends.includes(instance.status) });
    },
    async start(ref, options = {}) {
      const { status, nativeStatus, place } = await locate(context, ref, options);
      const ends: readonly InstanceStatus[] = options.wait === "accepted" ? ["pending", "running"] : ["running"];
      if (status !== "running")
        await changeInstance(context, place, { verb: nativeStatus === "SUSPENDED" ? "resume" : "start" }, options);
      return waitUntil(context, place, options, { isDone: (instance) => ends.includes(instance.status) });
    },
    async terminate(ref, options = {}) {
      const found = await find(context, ref, options);
      if (found === undefined) return;
      await deleteInstance(context, placeOf(found), { timeoutMs: readyMs, ...options });
    },
    async waitReady(ref, options = {}) {
      const { place } = await locate(context, ref, options);
      return waitReady(context, place, options);
    },
    async readConsole(ref, options = {}) {
      const { place } = await locate(context, ref, options);
      return readInstanceConsole(context, place, options);
    },
  };
}

/** Returns the output of an instance's first serial port. */
export async function readInstanceConsole({ api }: GcpContext, place: InstancePlace, { signal }: CallOptions): Promise<string> {
  const output = await api.call<SerialPortOutput>(`read the console of the instance ${place.name}`, {
    service: "compute",
    action: "instances.getSerialPortOutput",
    path: `${pathOfInstance(place)}/serialPort`,
    signal,
  });
  return output.contents ?? "";
}

async function find(context: GcpContext, ref: string, { signal }: CallOptions): Promise<InstanceInfo | undefined> {
  const { name, project = context.project, location: zone } = readInstanceRef(ref);
  if (zone !== undefined) return readInstance(context, { project, zone, name }, signal);
  const found = await findInstances(context, { name }, signal);
  const [first] = found;
  if (found.length > 1) {
    const ids = found.map(({ place }) => pathOfInstance(place)).join(", ");
    throw refuseRequest("gcp", `several instances are called ${name}; pass an ID: ${ids}`);
  }
  if (first === undefined) return undefined;
  const info = toInstanceInfo(first);
  return info.image === "" ? readInstance(context, first.place, signal) : info;
}

async function get(context: GcpContext, ref: string, options: CallOptions): Promise<InstanceInfo> {
  const found = await find(context, ref, options);
  if (found !== undefined) return found;
  throw createCloudFault(`there is no instance ${ref} in the project ${context.project}`, {
    cloud: "gcp",
    category: "not_found",
  });
}

function placeOf({ id }: InstanceInfo): InstancePlace {
  const { name, project = "", location: zone = "" } = readInstanceRef(id);
  return { project, zone, name };
}

async function locate(
  context: GcpContext,
  ref: string,
  options: CallOptions,
): Promise<InstanceInfo & { readonly place: InstancePlace }> {
  const found = await get(context, ref, options);
  return { ...found, place: placeOf(found) };
}

async function read(context: GcpContext, place: InstancePlace, signal: AbortSignal | undefined): Promise<InstanceInfo> {
  const found = await readInstance(context, place, signal);
  if (found !== undefined) return found;
  throw createCloudFault(`there is no instance ${pathOfInstance(place)}`, { cloud: "gcp", category: "not_found" });
}

interface Goal {
  readonly isDone: (instance: InstanceInfo) => boolean;
  readonly notFoundMs?: number;
}

/** Reads an instance until it is in the desired state. */
export async function waitUntil(
  context: GcpContext,
  place: InstancePlace,
  { signal, timeoutMs = readyMs, onStatus }: WaitOptions,
  { isDone, notFoundMs = 0 }: Goal,
): Promise<InstanceInfo> {
  return waitFor(context.clock, {
    cloud: "gcp",
    timeoutMs,
    signal,
    notFoundMs,
    describe: (last) => `the instance ${place.name} is still ${last?.nativeStatus ?? "unknown"}${describeReason(last ?? {})}`,
    read: () => read(context, place, signal),
    isDone(instance) {
      onStatus?.(instance.status, instance.nativeStatus);
      return isDone(instance);
    },
  });
}

async function waitReady(context: GcpContext, place: InstancePlace, options: WaitOptions, notFoundMs = 0): Promise<InstanceInfo> {
  const isDone = (instance: InstanceInfo): boolean => {
    const { name, status, nativeStatus, statusReason = "" } = instance;
    if (status === "terminating" || status === "stopped")
      throw describeStatusReason(`the instance ${name} is ${nativeStatus}${describeReason(instance)}`, statusReason);
    return status === "running";
  };
  return waitUntil(context, place, options, { isDone, notFoundMs });
}

/** A change to an instance. */
export interface InstanceChange {
  readonly verb: "start" | "stop" | "resume" | "setMachineType" | "setMetadata" | "setTags" | "setLabels";
  /** Completes the message "Google Cloud could not ...". */
  readonly doing?: string;
  readonly body?: object;
}

/** Sends a change and waits until Compute Engine has accepted or finished it. Sends it again if another change is in progress. */
export async function changeInstance(
  context: GcpContext,
  place: InstancePlace,
  { verb, doing = `${verb} the instance ${place.name}`, body }: InstanceChange,
  { wait, signal, timeoutMs = readyMs }: WaitOptions & { readonly wait?: string },
): Promise<void> {
  const requestId = randomUUID();
  let name: string | undefined;
  await waitFor(context.clock, {
    cloud: "gcp",
    timeoutMs,
    signal,
    describe: () => `the instance ${place.name} is still being changed`,
    async read() {
      if (name === undefined) {
        try {
          const operation = await context.api.call<Operation>(doing, {
            service: "compute",
            action: `instances.${verb}`,
            method: "POST",
            path: `${pathOfInstance(place)}/${verb}`,
            query: { requestId },
            ...(body === undefined ? {} : { body }),
            signal,
          });
          checkZoneOperation(doing, operation);
          name = operation.name ?? "";
          if (wait === "accepted" || operation.status === "DONE" || name === "") return true;
        } catch (error) {
          // An outdated fingerprint is a conflict that waiting does not resolve.
          if (isCloudFault(error, "conflict") && error.extra.status !== 412) return false;
          throw error;
        }
      }
      return isZoneOperationDone(context, { ...place, name }, { doing, signal });
    },
    isDone: (isFinished) => isFinished,
  });
}

/** Deletes an instance with its boot disk. */
export async function deleteInstance(
  context: GcpContext,
  place: InstancePlace,
  options: DeleteOptions & { readonly timeoutMs: number },
): Promise<void> {
  const requestId = randomUUID();
  await deleteWhenFree(context, options, {
    what: `the instance ${place.name}`,
    deleting: "DEPROVISIONING",
    read: async () => (await read(context, place, options.signal)).nativeStatus,
    send: () => sendDelete(context, place, requestId, options.signal),
  });
}

async function sendDelete(
  { api }: GcpContext,
  place: InstancePlace,
  requestId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const doing = `terminate the instance ${place.name}`;
  const operation = await api.call<Operation>(doing, {
    service: "compute",
    action: "instances.delete",
    method: "DELETE",
    path: pathOfInstance(place),
    query: { requestId },
    signal,
  });
  checkZoneOperation(doing, operation);
}
