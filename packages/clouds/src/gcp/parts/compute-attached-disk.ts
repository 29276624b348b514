import { textOf } from "@cloudwright/platform/json";
import { randomUUID } from "node:crypto";
import { createCloudFault, isCloudFault, refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes } from "../../library/parts.ts";
import type { AttachedDisk, Disk } from "../models.ts";
import { lastPart, toResourceId } from "../resource-names.ts";
import { runChange } from "../library/compute-changes.ts";
import type { GcpContext } from "../library/context.ts";
import { findDisk, findDisks, readDiskId } from "../library/disks.ts";
import { findInstance, pathOfInstance, type InstancePlace } from "../library/read-compute.ts";
import { pathOf, readInstanceRef } from "../library/references.ts";
import { checkOwner, checkTaken, findOwned, ownerOfLabels, type PartScope } from "./part-support.ts";

const timeoutMs = 10 * 60_000;

/**
 * Attachments of disks to instances. The ID is `projects/p/zones/z/instances/i/d`, where `d` is the name of the disk. Attributes: `disk` and
 * `instance` (paths), `device_name` (the end of the path `/dev/disk/by-id/google-...`), and `mode`. An attachment has no labels, so its owner
 * and its name are those of its disk.
 */
export function createAttachedDiskPart(context: GcpContext, { entityUid }: PartScope): CloudPart {
  const look = async ({ instance, disk }: Place, signal: AbortSignal): Promise<AttachedDisk | undefined> => {
    const found = await findInstance(context, instance, signal);
    return found?.disks?.find(({ source = "" }) => pathOf(source) === disk);
  };
  const read = async (place: Place, signal: AbortSignal): Promise<PartAttributes | undefined> => {
    const found = await look(place, signal);
    return found === undefined ? undefined : toAttributes(place, found);
  };
  return {
    name: "google_compute_attached_disk",
    immutable: ["disk", "instance", "device_name", "mode", "failed"],
    async create(attributes, owner, signal) {
      const place = readPlace(`${textOf(attributes["instance"])}/${lastPart(textOf(attributes["disk"]))}`);
      const name = lastPart(place.disk);
      const disk = await findDisk(context, place.disk, signal);
      if (disk === undefined) throw createCloudFault(`there is no disk ${place.disk}`, { cloud: "gcp", category: "not_found" });
      checkTaken(`the disk ${name}`, disk.labels, owner);
      if ((await look(place, signal)) === undefined) {
        const body = {
          source: place.disk,
          deviceName: textOf(attributes["device_name"]),
          mode: textOf(attributes["mode"]),
          autoDelete: false,
        };
        const doing = `attach the disk ${name} to the instance ${place.instance.name}`;
        await runChange(
          context,
          {
            doing,
            action: "instances.attachDisk",
            method: "POST",
            path: `${pathOfInstance(place.instance)}/attachDisk`,
            requestId: randomUUID(),
            body,
          },
          { signal, timeoutMs },
        ).catch(async (error: unknown) => {
          if (!isCloudFault(error, "conflict", "unavailable") || (await look(place, signal)) === undefined) throw error;
        });
      }
      return { id: idOf(place), attributes: (await read(place, signal)) ?? attributes };
    },
    read: (id, signal) => read(readPlace(id), signal),
    async update(id, attributes, signal) {
      return (await read(readPlace(id), signal)) ?? attributes;
    },
    async delete(id, signal) {
      const place = readPlace(id);
      const found = await look(place, signal);
      if (found === undefined) return;
      checkOwner(`the disk ${lastPart(place.disk)}`, (await findDisk(context, place.disk, signal))?.labels, entityUid);
      const { deviceName = "" } = found;
      const verb = `${pathOfInstance(place.instance)}/detachDisk`;
      await detach(context, { place, deviceName, path: verb }, signal).catch(async (error: unknown) => {
        // Somebody else may have detached the disk or deleted the instance in the meantime.
        if (!isCloudFault(error) || (await look(place, signal)) !== undefined) throw error;
      });
    },
    async listOwned(uid, signal) {
      return (await findDisks(context, uid, signal)).flatMap((disk) => listAttachments(disk, uid));
    },
    async findOwner(id, signal) {
      const place = readPlace(id);
      if ((await look(place, signal)) === undefined) return undefined;
      return ownerOfLabels((await findDisk(context, place.disk, signal))?.labels);
    },
  };
}

interface Place {
  readonly instance: InstancePlace;
  /** Path of the disk. It is in the zone of the instance. */
  readonly disk: string;
}

function readPlace(id: string): Place {
  const { name, project, location: zone } = readInstanceRef(id.replace(/\/[^/]*$/, ""));
  if (project === undefined || zone === undefined)
    throw refuseRequest("gcp", `"${id}" is not an attachment's ID; use projects/p/zones/z/instances/i/d`);
  return { instance: { project, zone, name }, disk: readDiskId(`projects/${project}/zones/${zone}/disks/${lastPart(id)}`) };
}

function idOf({ instance, disk }: Place): string {
  return `${pathOfInstance(instance)}/${lastPart(disk)}`;
}

async function detach(
  context: GcpContext,
  { place, deviceName, path }: { readonly place: Place; readonly deviceName: string; readonly path: string },
  signal: AbortSignal,
): Promise<void> {
  const change = {
    doing: `detach the disk ${lastPart(place.disk)} from the instance ${place.instance.name}`,
    action: "instances.detachDisk",
    method: "POST",
    path,
    query: { deviceName },
    requestId: randomUUID(),
  } as const;
  await runChange(context, change, { signal, timeoutMs });
}

function listAttachments(disk: Disk, uid: string) {
  const { labels, users = [], name = "" } = disk;
  return users.flatMap((user) => findOwned(`${toResourceId(user)}/${name}`, labels, uid) ?? []);
}

function toAttributes({ instance, disk }: Place, { deviceName = "", mode = "" }: AttachedDisk): PartAttributes {
  return { disk, instance: pathOfInstance(instance), device_name: deviceName, mode, ready: true, failed: false };
}
