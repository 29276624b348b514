import type { Instance, Volume } from "@aws-sdk/client-ec2";
import { createCloudFault, isCloudFault, refuseRequest } from "../../library/errors.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { AwsContext } from "../library/context.ts";

const attachMs = 5 * 60_000;
/** Device names that EC2 accepts for data volumes. Instances with NVMe devices show the volumes under other names. */
const deviceNames = Array.from("fghijklmnopqrstuvwxyz", (letter) => `/dev/sd${letter}`);

/** A volume, and how to read it. */
export interface VolumePlace {
  readonly id: string;
  readonly region: string;
  read(signal: AbortSignal): Promise<Volume>;
}

/** Attaches a volume to an instance and waits until it is attached. Does nothing if it is attached already. */
export async function attachVolume(
  context: AwsContext,
  volume: VolumePlace,
  instanceId: string,
  signal: AbortSignal,
): Promise<void> {
  await waitFor(context.clock, {
    cloud: "aws",
    timeoutMs: attachMs,
    signal,
    describe: (last) => `the volume ${volume.id} is still ${last ?? "unknown"}`,
    async read() {
      const attachment = findAttachment(await volume.read(signal));
      if (attachment === undefined) return sendAttach(context, volume, instanceId, signal);
      const { InstanceId, State = "" } = attachment;
      if (InstanceId === instanceId || State === "detaching") return InstanceId === instanceId ? State : "detaching";
      throw createCloudFault(`the volume ${volume.id} is attached to the instance ${InstanceId}`, {
        cloud: "aws",
        category: "conflict",
      });
    },
    isDone: (state) => state === "attached",
  });
}

/** Detaches a volume and waits until it is available. Does nothing if it is not attached. */
export async function detachVolume(
  context: AwsContext,
  volume: VolumePlace,
  { isForced }: { readonly isForced: boolean },
  signal: AbortSignal,
): Promise<void> {
  await waitFor(context.clock, {
    cloud: "aws",
    timeoutMs: attachMs,
    signal,
    describe: (last) =>
      `the volume ${volume.id} is still ${last ?? "unknown"}; unmount it in the instance, then retry the operation`,
    async read() {
      const attachment = findAttachment(await volume.read(signal));
      if (attachment === undefined) return "detached";
      const { InstanceId = "", State = "" } = attachment;
      // EC2 waits until the operating system releases the device.
      if (State === "busy" && !isForced) {
        const message = `the volume ${volume.id} is still in use in the instance ${InstanceId}; unmount it there, then retry the operation`;
        throw createCloudFault(message, { cloud: "aws", category: "conflict" });
      }
      if (State === "attached" || State === "busy") await sendDetach(context, volume, { InstanceId, isForced }, signal);
      return State;
    },
    isDone: (state) => state === "detached",
  });
}

function findAttachment({ Attachments = [] }: Volume) {
  return Attachments.find(({ State }) => State !== "detached");
}

/** Rejections that end when another change has ended. The attempt is then repeated. */
const passing = ["IncorrectState", "IncorrectInstanceState", "VolumeInUse"];

async function sendAttach(
  context: AwsContext,
  { id: VolumeId, region }: VolumePlace,
  InstanceId: string,
  signal: AbortSignal,
): Promise<string> {
  const doing = `attach the volume ${VolumeId} to the instance ${InstanceId}`;
  const instance = await context.call({ doing, region, signal }, async (clients) => {
    const { DescribeInstancesCommand } = await import("@aws-sdk/client-ec2");
    const { Reservations = [] } = await (await clients.ec2()).send(new DescribeInstancesCommand({ InstanceIds: [InstanceId] }));
    return Reservations.flatMap(({ Instances = [] }) => Instances)[0];
  });
  const Device = chooseDevice(InstanceId, instance);
  try {
    await context.call({ doing, region, signal }, async (clients) => {
      const { AttachVolumeCommand } = await import("@aws-sdk/client-ec2");
      await (await clients.ec2()).send(new AttachVolumeCommand({ VolumeId, InstanceId, Device }));
    });
    return "attaching";
  } catch (error) {
    if (!isCloudFault(error)) throw error;
    // Another volume may have taken the device name in the meantime.
    const isTaken = error.extra.nativeCode === "InvalidParameterValue" && /already in use/i.test(error.message);
    if (isTaken || passing.includes(error.extra.nativeCode)) return "waiting to be attached";
    throw error;
  }
}

function chooseDevice(instanceId: string, instance: Instance | undefined): string {
  const state = instance?.State?.Name ?? "terminated";
  if (instance === undefined || state === "terminated" || state === "shutting-down")
    throw createCloudFault(`the instance ${instanceId} is ${state}`, { cloud: "aws", category: "conflict" });
  const taken = new Set((instance.BlockDeviceMappings ?? []).map(({ DeviceName = "" }) => DeviceName.replace("xvd", "sd")));
  const free = deviceNames.find((name) => !taken.has(name));
  if (free !== undefined) return free;
  throw refuseRequest("aws", `the instance ${instanceId} already has ${deviceNames.length} volumes; detach one first`);
}

async function sendDetach(
  context: AwsContext,
  { id: VolumeId, region }: VolumePlace,
  { InstanceId, isForced }: { readonly InstanceId: string; readonly isForced: boolean },
  signal: AbortSignal,
): Promise<void> {
  try {
    await context.call({ doing: `detach the volume ${VolumeId}`, region, signal }, async (clients) => {
      const { DetachVolumeCommand } = await import("@aws-sdk/client-ec2");
      await (await clients.ec2()).send(new DetachVolumeCommand({ VolumeId, InstanceId, Force: isForced }));
    });
  } catch (error) {
    // The volume was detached in the meantime.
    if (!isCloudFault(error) || error.extra.nativeCode !== "IncorrectState") throw error;
  }
}
