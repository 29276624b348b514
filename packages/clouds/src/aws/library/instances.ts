import type { DescribeInstancesCommandInput, Instance } from "@aws-sdk/client-ec2";
import type { CallOptions, WaitOptions } from "../../library/call-options.ts";
import { createCloudFault, isCloudFault, orUndefined, refuseRequest } from "../../library/errors.ts";
import type { InstanceInfo, Instances, InstanceStatus } from "../../library/instances.ts";
import { toStatus } from "../../library/statuses.ts";
import { tellLeft } from "../../library/tell-left.ts";
import { waitFor } from "../../library/wait-for.ts";
import { describeStatusReason } from "../errors.ts";
import { instanceStatuses } from "../statuses.ts";
import type { AwsContext } from "./context.ts";
import { runInstance, userTag } from "./create-instance.ts";
import { readInstanceRef } from "./references.ts";

const readyMs = 10 * 60_000;
const appearMs = 2 * 60_000;

interface InstancePlace {
  readonly id: string;
  readonly region: string;
}

/** Creates the library's client for EC2 instances. */
export function createInstances(context: AwsContext): Instances {
  // A name is looked up in the client's region, and in any other region in which this client created an instance with that name.
  const created = new Map<string, Set<string>>();
  const get = async (ref: string, { signal }: CallOptions = {}): Promise<InstanceInfo> => {
    const { name, isId, region = context.options.region } = readInstanceRef(ref);
    if (isId) return readById(context, { id: name, region }, signal);
    const regions = new Set([context.options.region, ...(created.get(name) ?? [])]);
    const Filters = [{ Name: "tag:Name", Values: [name.replaceAll(/[*?\\]/g, "\\$&")] }];
    const found: InstanceInfo[] = [];
    for (const each of regions) found.push(...(await describeInstances(context, each, { Filters }, signal)).filter(isThere));
    if (found.length > 1)
      throw refuseRequest("aws", `several instances are called ${name}; pass an ID: ${found.map(({ id }) => id).join(", ")}`);
    const [only] = found;
    if (only !== undefined) return only;
    throw createCloudFault(`there is no instance ${ref} in ${[...regions].join(", ")}`, { cloud: "aws", category: "not_found" });
  };
  const find = (ref: string, options: CallOptions = {}): Promise<InstanceInfo | undefined> => orUndefined(get(ref, options));
  return {
    find,
    get,
    async list({ region = context.options.region, tags = {}, signal } = {}) {
      const Filters = Object.entries(tags).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
      const input = Filters.length === 0 ? {} : { Filters };
      return (await describeInstances(context, region, input, signal)).filter(isThere);
    },
    async create(request, options = {}) {
      const region = request.region ?? context.options.region;
      const made = await runInstance(context, request, region, options);
      created.set(request.name, (created.get(request.name) ?? new Set()).add(region));
      const place = { id: made.InstanceId ?? "", region };
      const left = { what: `the instance ${place.id} in ${region}`, call: `instances.terminate("${place.id}")` };
      return tellLeft(left, () => {
        if (options.wait === "ready") return waitInstanceReady(context, place, options, appearMs);
        return waitUntil(context, place, { ...options, timeoutMs: appearMs }, { isDone: () => true, notFoundMs: appearMs });
      });
    },
    async stop(ref, options = {}) {
      const place = await get(ref, options);
      return changeInstance(context, place, "stop", options, options.wait === "accepted" ? ["stopping", "stopped"] : ["stopped"]);
    },
    async start(ref, options = {}) {
      const place = await get(ref, options);
      return changeInstance(context, place, "start", options, options.wait === "accepted" ? ["pending", "running"] : ["running"]);
    },
    async terminate(ref, options = {}) {
      const place = await find(ref, options);
      if (place === undefined || place.status === "terminated") return;
      const ends: InstanceStatus[] = options.wait === "accepted" ? ["terminating", "terminated"] : ["terminated"];
      try {
        await changeInstance(context, place, "terminate", options, ends);
      } catch (error) {
        if (!isCloudFault(error, "not_found")) throw error;
      }
    },
    async waitReady(ref, options = {}) {
      return waitInstanceReady(context, await get(ref, options), options);
    },
    async readConsole(ref, options = {}) {
      return readInstanceConsole(context, await get(ref, options), options.signal);
    },
  };
}

/** Returns the latest output of an instance's serial console. */
export async function readInstanceConsole(
  context: AwsContext,
  { id, region }: InstancePlace,
  signal: AbortSignal | undefined,
): Promise<string> {
  const output = await context.call({ doing: `read the console of the instance ${id}`, region, signal }, async (clients) => {
    const { GetConsoleOutputCommand } = await import("@aws-sdk/client-ec2");
    return (await (await clients.ec2()).send(new GetConsoleOutputCommand({ InstanceId: id }))).Output;
  });
  return Buffer.from(output ?? "", "base64").toString();
}

/** EC2 lists terminated instances for about an hour. */
function isThere({ status }: InstanceInfo): boolean {
  return status !== "terminated";
}

async function describeInstances(
  context: AwsContext,
  region: string,
  input: DescribeInstancesCommandInput,
  signal: AbortSignal | undefined,
): Promise<InstanceInfo[]> {
  return context.call({ doing: `read the instances in ${region}`, region, signal }, async (clients) => {
    const { paginateDescribeInstances } = await import("@aws-sdk/client-ec2");
    const found: Instance[] = [];
    for await (const { Reservations = [] } of paginateDescribeInstances({ client: await clients.ec2() }, input))
      found.push(...Reservations.flatMap(({ Instances = [] }) => Instances));
    return found.map((instance) => toInstanceInfo(instance, region));
  });
}

async function readById(
  context: AwsContext,
  { id, region }: InstancePlace,
  signal: AbortSignal | undefined,
): Promise<InstanceInfo> {
  const [found] = await describeInstances(context, region, { InstanceIds: [id] }, signal);
  if (found !== undefined) return found;
  throw createCloudFault(`there is no instance ${id} in ${region}`, { cloud: "aws", category: "not_found" });
}

function toInstanceInfo(instance: Instance, region: string): InstanceInfo {
  const { InstanceId = "", State, StateReason, Placement, LaunchTime } = instance;
  const { PrivateIpAddress, PublicIpAddress } = instance;
  const tags = Object.fromEntries((instance.Tags ?? []).map(({ Key = "", Value = "" }) => [Key, Value]));
  const native = State?.Name ?? "";
  return {
    id: InstanceId,
    name: tags["Name"] ?? "",
    cloud: "aws",
    region,
    ...(Placement?.AvailabilityZone === undefined ? {} : { zone: Placement.AvailabilityZone }),
    status: toStatus(instanceStatuses, native),
    nativeStatus: native,
    ...(StateReason?.Message === undefined || StateReason.Message === "" ? {} : { statusReason: StateReason.Message }),
    type: instance.InstanceType ?? "",
    image: instance.ImageId ?? "",
    ...(PrivateIpAddress === undefined ? {} : { privateAddress: PrivateIpAddress }),
    ...(PublicIpAddress === undefined || PublicIpAddress === "" ? {} : { publicAddress: PublicIpAddress }),
    user: tags[userTag] ?? "",
    tags,
    ...(LaunchTime === undefined ? {} : { createdAt: LaunchTime }),
  };
}

interface Goal {
  readonly isDone: (instance: InstanceInfo) => boolean;
  readonly notFoundMs?: number;
  /** Called before each read. */
  readonly before?: () => Promise<void>;
}

async function waitUntil(
  context: AwsContext,
  place: InstancePlace,
  { signal, timeoutMs = readyMs, onStatus }: WaitOptions,
  { isDone, notFoundMs = 0, before }: Goal,
): Promise<InstanceInfo> {
  return waitFor(context.clock, {
    cloud: "aws",
    timeoutMs,
    signal,
    notFoundMs,
    describe: (last) => `the instance ${place.id} is still ${last?.nativeStatus ?? "unknown"}`,
    async read() {
      await before?.();
      return readById(context, place, signal);
    },
    isDone(instance) {
      onStatus?.(instance.status, instance.nativeStatus);
      return isDone(instance);
    },
  });
}

/** Waits until an instance is running. Throws if it is terminated or stopped. */
export async function waitInstanceReady(
  context: AwsContext,
  place: InstancePlace,
  options: WaitOptions,
  notFoundMs = 0,
): Promise<InstanceInfo> {
  const isDone = (instance: InstanceInfo): boolean => {
    const { id, status, nativeStatus, statusReason = "" } = instance;
    // A new instance that EC2 cannot start ends up terminated.
    if (status === "terminating" || status === "terminated" || status === "stopped") {
      const [code = ""] = statusReason.split(":");
      throw describeStatusReason(`the instance ${id} is ${nativeStatus}${statusReason === "" ? "" : ` (${statusReason})`}`, {
        code,
        message: statusReason,
      });
    }
    return status === "running";
  };
  return waitUntil(context, place, options, { isDone, notFoundMs });
}

type Verb = "start" | "stop" | "terminate";

/** Sends a change and waits for one of the statuses. Repeats the change while EC2 rejects it because of another change in progress. */
export async function changeInstance(
  context: AwsContext,
  place: InstancePlace,
  verb: Verb,
  options: WaitOptions,
  ends: readonly InstanceStatus[],
): Promise<InstanceInfo> {
  let isAccepted = false;
  const before = async (): Promise<void> => {
    if (isAccepted) return;
    try {
      await sendChange(context, place, verb, options.signal);
      isAccepted = true;
    } catch (error) {
      const isBusy = isCloudFault(error, "conflict") && error.extra.nativeCode === "IncorrectInstanceState";
      if (!isBusy || !(await canChange(context, place, options.signal))) throw error;
    }
  };
  return waitUntil(context, place, options, { before, isDone: ({ status }) => isAccepted && ends.includes(status) });
}

/** Returns whether an instance is in transition between two states, in which case EC2 may accept a rejected change later. */
async function canChange(context: AwsContext, place: InstancePlace, signal: AbortSignal | undefined): Promise<boolean> {
  const { status } = await readById(context, place, signal);
  return status === "pending" || status === "stopping";
}

async function sendChange(
  context: AwsContext,
  { id, region }: InstancePlace,
  verb: Verb,
  signal: AbortSignal | undefined,
): Promise<void> {
  await context.call({ doing: `${verb} the instance ${id}`, region, signal }, async (clients) => {
    const { StartInstancesCommand, StopInstancesCommand, TerminateInstancesCommand } = await import("@aws-sdk/client-ec2");
    const client = await clients.ec2();
    const input = { InstanceIds: [id] };
    if (verb === "start") await client.send(new StartInstancesCommand(input));
    else if (verb === "stop") await client.send(new StopInstancesCommand(input));
    else await client.send(new TerminateInstancesCommand(input));
  });
}
