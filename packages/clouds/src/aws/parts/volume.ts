import type { CreateVolumeCommandInput, Volume, VolumeModification } from "@aws-sdk/client-ec2";
import { numberOf, textOf } from "@cloudwright/platform/json";
import { ownerTag } from "../../account-view.ts";
import { deriveToken } from "../../library/check-request.ts";
import { createCloudFault, isCloudFault, orUndefined, refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes, PartOwner } from "../../library/parts.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { AwsContext } from "../library/context.ts";
import { changeEc2Tags, readTags } from "./ec2-tags.ts";
import { checkOwner, compareTags, findOwned, listOwnTags, renderOwnerTags, type PartScope } from "./part-support.ts";
import { attachVolume, detachVolume } from "./volume-attachment.ts";

const readyMs = 10 * 60_000;
const appearMs = 2 * 60_000;
/** EC2 accepts the next modification of a volume six hours after the last one. */
const coolDownMs = 6 * 3_600_000;

/**
 * EBS volumes. Attributes: `availability_zone`, `size` (GiB), `type`, `encrypted`, `instance_id` (the instance that the volume is attached
 * to, or an empty string), `tags`. Outputs: `device`, the path of the volume in an instance with NVMe devices, and `device_name`, the name
 * that EC2 uses. An attachment is part of the volume, so that moving a volume never replaces it.
 */
export function createVolumePart(context: AwsContext, { entityUid, region }: PartScope): CloudPart {
  const ec2 = createVolumeCalls(context, region);
  const placeOf = (id: string) => ({ id, region, read: (signal: AbortSignal) => ec2.get(id, signal) });
  const read = async (id: string, signal: AbortSignal): Promise<PartAttributes | undefined> => {
    const found = await orUndefined(ec2.get(id, signal));
    return found === undefined || isEnded(found) ? undefined : toAttributes(found);
  };
  const waitReady = (id: string, signal: AbortSignal): Promise<Volume> =>
    waitFor(context.clock, {
      cloud: "aws",
      timeoutMs: readyMs,
      notFoundMs: appearMs,
      signal,
      describe: (last) => `the volume ${id} is still ${last?.State ?? "unknown"}`,
      read: () => ec2.get(id, signal),
      isDone({ State }) {
        if (State === "error")
          throw createCloudFault(`EC2 could not create the volume ${id}`, { cloud: "aws", category: "unavailable" });
        return State === "available" || State === "in-use";
      },
    });
  const connect = async (id: string, instanceId: string, signal: AbortSignal): Promise<void> => {
    if (instanceId === "") await detachVolume(context, placeOf(id), { isForced: false }, signal);
    else await attachVolume(context, placeOf(id), instanceId, signal);
  };
  /** Changes the size and the type. EC2 allows one change at a time. */
  const modify = async (id: string, now: Volume, attributes: PartAttributes, signal: AbortSignal): Promise<void> => {
    const [size, type] = [numberOf(attributes["size"]) || now.Size, textOf(attributes["type"]) || now.VolumeType];
    if (size === now.Size && type === now.VolumeType) return;
    if (size !== undefined && size < (now.Size ?? 0))
      throw refuseRequest(
        "aws",
        `the volume ${id} has ${now.Size} GiB and cannot shrink to ${size} GiB; set spec.sizeGib to ${now.Size}`,
      );
    const last = await ec2.findModification(id, signal);
    const isSent = last?.ModificationState === "modifying" && last.TargetSize === size && last.TargetVolumeType === type;
    if (!isSent) await ec2.modify(id, { size, type }, signal).catch((error: unknown) => explain(error, id, last));
    await waitFor(context.clock, {
      cloud: "aws",
      timeoutMs: readyMs,
      notFoundMs: appearMs,
      signal,
      describe: () => `EC2 is still changing the volume ${id}`,
      read: async () => [await ec2.findModification(id, signal), await ec2.get(id, signal)] as const,
      isDone([change, volume]) {
        if (change?.ModificationState !== "failed") return volume.Size === size && volume.VolumeType === type;
        const message = `EC2 could not change the volume ${id}: ${change.StatusMessage ?? "no reason given"}`;
        throw createCloudFault(message, { cloud: "aws", category: "conflict" });
      },
    });
  };
  return {
    name: "aws_ebs_volume",
    immutable: ["availability_zone", "encrypted", "failed"],
    async create(attributes, owner, signal) {
      const owned = await ec2.listOwned(owner.entityUid, signal);
      const earlier = owned.find((volume) => findOwned("", readTags(volume), owner.entityUid)?.name === owner.name);
      const { VolumeId: id = "" } = earlier ?? (await ec2.create(attributes, owner, signal));
      await waitReady(id, signal);
      await connect(id, textOf(attributes["instance_id"]), signal);
      return { id, attributes: (await read(id, signal)) ?? attributes };
    },
    read,
    async update(id, attributes, signal) {
      const now = await waitReady(id, signal);
      const instanceId = attributes["instance_id"] === undefined ? undefined : textOf(attributes["instance_id"]);
      // A volume that is still attached to another instance is detached first.
      if (instanceId !== undefined && attachedTo(now) !== "" && attachedTo(now) !== instanceId)
        await detachVolume(context, placeOf(id), { isForced: false }, signal);
      await modify(id, now, attributes, signal);
      if (attributes["tags"] !== undefined)
        await changeEc2Tags(context, { id, region }, compareTags(readTags(now), attributes["tags"]), signal);
      if (instanceId !== undefined) await connect(id, instanceId, signal);
      return (await read(id, signal)) ?? attributes;
    },
    async delete(id, signal) {
      const found = await orUndefined(ec2.get(id, signal));
      if (found === undefined || isEnded(found)) return;
      checkOwner(`the volume ${id}`, readTags(found), entityUid);
      await orUndefined(detachVolume(context, placeOf(id), { isForced: true }, signal));
      await orUndefined(ec2.remove(id, signal));
      await waitFor(context.clock, {
        cloud: "aws",
        timeoutMs: readyMs,
        signal,
        describe: (last) => `the volume ${id} is still ${last?.State ?? "unknown"}`,
        read: () => orUndefined(ec2.get(id, signal)),
        isDone: (volume) => volume === undefined || volume.State === "deleted",
      });
    },
    async listOwned(uid, signal) {
      const found = await ec2.listOwned(uid, signal);
      return found.flatMap((volume) => findOwned(volume.VolumeId ?? "", readTags(volume), uid) ?? []);
    },
    async findOwner(id, signal) {
      const found = await orUndefined(ec2.get(id, signal));
      return found === undefined || isEnded(found) ? undefined : readTags(found)[ownerTag];
    },
  };
}

function isEnded({ State }: Volume): boolean {
  return State === "deleting" || State === "deleted";
}

function attachedTo({ Attachments = [] }: Volume): string {
  return Attachments.find(({ State }) => State !== "detached")?.InstanceId ?? "";
}

function toAttributes(volume: Volume): PartAttributes {
  const [attachment] = (volume.Attachments ?? []).filter(({ State }) => State !== "detached");
  const instanceId = attachedTo(volume);
  const isStable = attachment === undefined || attachment.State === "attached";
  return {
    id: volume.VolumeId ?? "",
    availability_zone: volume.AvailabilityZone ?? "",
    size: volume.Size ?? 0,
    type: volume.VolumeType ?? "",
    encrypted: volume.Encrypted === true,
    instance_id: instanceId,
    tags: listOwnTags(readTags(volume)),
    ready: isStable && (volume.State === "available" || volume.State === "in-use"),
    failed: volume.State === "error",
    // The path contains the id without its hyphen, because that is the serial number of the NVMe device.
    device:
      instanceId === "" ? "" : `/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${(volume.VolumeId ?? "").replace("-", "")}`,
    device_name: attachment?.Device ?? "",
  };
}

/** Says when EC2 accepts the next change of a volume. */
function explain(error: unknown, id: string, last: VolumeModification | undefined): never {
  const codes = ["VolumeModificationRateExceeded", "IncorrectModificationState"];
  if (!isCloudFault(error) || !codes.includes(error.extra.nativeCode)) throw error;
  const nextMs = (last?.StartTime?.getTime() ?? Number.NaN) + coolDownMs;
  const when = Number.isNaN(nextMs) ? "" : `, from about ${new Date(nextMs).toISOString()}`;
  const message = `EC2 accepts the next change of the volume ${id} six hours after the last one${when}; retry the operation then (${error.message})`;
  throw createCloudFault(message, { ...error.extra, cloud: "aws", category: "quota" }, { cause: error });
}

function createVolumeCalls(context: AwsContext, region: string) {
  const call = <Answer>(doing: string, signal: AbortSignal, send: Parameters<typeof context.call<Answer>>[1]): Promise<Answer> =>
    context.call({ doing, region, signal }, send);
  return {
    get: (id: string, signal: AbortSignal): Promise<Volume> =>
      call(`read the volume ${id}`, signal, async (clients) => {
        const { DescribeVolumesCommand } = await import("@aws-sdk/client-ec2");
        const { Volumes = [] } = await (await clients.ec2()).send(new DescribeVolumesCommand({ VolumeIds: [id] }));
        const [found] = Volumes;
        if (found !== undefined) return found;
        throw createCloudFault(`there is no volume ${id} in ${region}`, { cloud: "aws", category: "not_found" });
      }),
    listOwned: (uid: string, signal: AbortSignal): Promise<Volume[]> =>
      call("list the entity's volumes", signal, async (clients) => {
        const { paginateDescribeVolumes } = await import("@aws-sdk/client-ec2");
        const Filters = [{ Name: `tag:${ownerTag}`, Values: [uid] }];
        const found: Volume[] = [];
        for await (const { Volumes = [] } of paginateDescribeVolumes({ client: await clients.ec2() }, { Filters }))
          found.push(...Volumes);
        return found.filter((volume) => !isEnded(volume));
      }),
    create: (attributes: PartAttributes, owner: PartOwner, signal: AbortSignal): Promise<Volume> => {
      const [AvailabilityZone = "", type = ""] = ["availability_zone", "type"].map((name) => textOf(attributes[name]));
      const Tags = Object.entries(renderOwnerTags(attributes, owner)).map(([Key, Value]) => ({ Key, Value }));
      const input: CreateVolumeCommandInput = {
        ClientToken: deriveToken(owner.token, "volume"),
        AvailabilityZone,
        Size: numberOf(attributes["size"]),
        VolumeType: type as NonNullable<CreateVolumeCommandInput["VolumeType"]>,
        Encrypted: attributes["encrypted"] !== false,
        TagSpecifications: [{ ResourceType: "volume", Tags }],
      };
      return call(`create a volume in ${AvailabilityZone}`, signal, async (clients) => {
        const { CreateVolumeCommand } = await import("@aws-sdk/client-ec2");
        const made: Volume = await (await clients.ec2()).send(new CreateVolumeCommand(input));
        return made;
      });
    },
    findModification: (id: string, signal: AbortSignal): Promise<VolumeModification | undefined> =>
      call(`read the changes of the volume ${id}`, signal, async (clients) => {
        const { DescribeVolumesModificationsCommand } = await import("@aws-sdk/client-ec2");
        // With `VolumeIds`, the call fails for a volume that was never modified.
        const Filters = [{ Name: "volume-id", Values: [id] }];
        const { VolumesModifications = [] } = await (
          await clients.ec2()
        ).send(new DescribeVolumesModificationsCommand({ Filters }));
        return VolumesModifications[0];
      }),
    modify: (
      VolumeId: string,
      { size, type }: { readonly size: number | undefined; readonly type: string | undefined },
      signal: AbortSignal,
    ): Promise<void> =>
      call(`change the volume ${VolumeId}`, signal, async (clients) => {
        const { ModifyVolumeCommand } = await import("@aws-sdk/client-ec2");
        const input = {
          VolumeId,
          ...(size === undefined ? {} : { Size: size }),
          ...(type === undefined ? {} : { VolumeType: type as NonNullable<CreateVolumeCommandInput["VolumeType"]> }),
        };
        await (await clients.ec2()).send(new ModifyVolumeCommand(input));
      }),
    remove: (VolumeId: string, signal: AbortSignal): Promise<void> =>
      call(`delete the volume ${VolumeId}`, signal, async (clients) => {
        const { DeleteVolumeCommand } = await import("@aws-sdk/client-ec2");
        await (await clients.ec2()).send(new DeleteVolumeCommand({ VolumeId }));
      }),
  };
}
