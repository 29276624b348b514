import { Fault } from "@cloudwright/platform";
import { hostsFaults } from "../faults.ts";
import type { ToolUse } from "./disk-backend.ts";
import { pathInInstance, plugDevice } from "./plug-device.ts";
import { identifyProcess, isRunning } from "./process-identity.ts";
import { requireUid, toBytes, type Attachment, type VolumeInstance, type VolumeRecord } from "./volume.ts";
import { changeVolume, requireComplete, type VolumeScope } from "./volume-scope.ts";

/** Attaches a volume to an instance. If the instance is stopped, only records the attachment, and `plugIn` completes it later. */
export function attachVolume(
  scope: VolumeScope,
  uid: string,
  instance: VolumeInstance,
  signal: AbortSignal | undefined,
): Promise<Attachment> {
  requireUid(instance.uid);
  return changeVolume(scope, uid, signal, async (found, use) => {
    const record = requireComplete(found, uid);
    const other = record.attachment?.instance;
    if (other !== undefined && other !== instance.uid) {
      throw new Fault(
        hostsFaults.volume_attached,
        `volume ${uid} is attached to instance ${other}; detach it before attaching it to ${instance.uid}`,
      );
    }
    return plug(scope, record, { instance: instance.uid, leaderPid: await instance.leaderPid() }, use);
  });
}

/** Creates the device nodes of all attached volumes in an instance that was started. */
export async function plugInVolumes(
  scope: VolumeScope,
  instance: string,
  leaderPid: number,
  signal: AbortSignal | undefined,
): Promise<Attachment[]> {
  const attached = (await scope.records.list()).filter(({ attachment }) => attachment?.instance === instance);
  const results = await Promise.allSettled(
    attached.map(({ uid }) =>
      changeVolume(scope, uid, signal, async (record, use) =>
        // The volume may have been detached while this call waited.
        record?.attachment?.instance === instance ? [await plug(scope, record, { instance, leaderPid }, use)] : [],
      ),
    ),
  );
  return results.flatMap((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

/**
 * Plugs a volume into the running instance that had it before, for example after the host lost its loop devices. Returns false if the
 * instance has stopped.
 */
export async function replug(scope: VolumeScope, record: VolumeRecord, use: ToolUse): Promise<boolean> {
  const { attachment } = record;
  if (attachment?.leader === undefined || !(await isRunning(attachment.leader))) return false;
  await plug(scope, record, { instance: attachment.instance, leaderPid: attachment.leader.pid }, use);
  return true;
}

async function plug(
  { deps, disks, records }: VolumeScope,
  record: VolumeRecord,
  { instance, leaderPid }: { readonly instance: string; readonly leaderPid: number | undefined },
  use: ToolUse,
): Promise<Attachment> {
  const { uid, sizeGib, attachment } = record;
  const leader = await identifyProcess(leaderPid);
  if (attachment?.instance !== instance || attachment.leader?.started !== leader?.started) {
    await records.put(uid, { ...record, attachment: { instance, leader } });
  }
  const path = pathInInstance(uid);
  const size = await disks.findSize(uid);
  if (size === undefined) throw new Fault(hostsFaults.volume_not_found, `the data of volume ${uid} is missing`);
  if (leader === undefined) return { path, device: undefined };
  // An earlier resize may have been interrupted.
  if (size < toBytes(sizeGib)) await disks.grow(uid, toBytes(sizeGib), use);
  const device = await disks.openDevice(uid, use);
  await plugDevice(deps, { uid, device, instance, leaderPid: leader.pid }, use);
  return { path, device: device.path };
}
