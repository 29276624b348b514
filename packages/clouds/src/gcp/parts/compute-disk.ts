import { numberOf, textOf } from "@cloudwright/platform/json";
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { createCloudFault, isCloudFault, refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes } from "../../library/parts.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { Disk, DisksResizeRequest } from "../models.ts";
import { lastPart, toResourceId } from "../resource-names.ts";
import { runChange } from "../library/compute-changes.ts";
import type { GcpContext } from "../library/context.ts";
import { toRequestId } from "../library/create-instance.ts";
import { findDisk, findDisks, readDiskId } from "../library/disks.ts";
import {
  checkOwner,
  checkTaken,
  findOwned,
  listOwnLabels,
  ownerOfLabels,
  renderOwnerLabels,
  replaceOwnLabels,
  type PartScope,
} from "./part-support.ts";

const timeoutMs = 10 * 60_000;

/**
 * Persistent disks. The ID is `projects/p/zones/z/disks/d`. Attributes: `name`, `zone`, `type` (such as `pd-balanced`), `size` in GiB, and
 * `labels`. Disks can grow but not shrink.
 */
export function createDiskPart(context: GcpContext, { entityUid }: PartScope): CloudPart {
  return {
    name: "google_compute_disk",
    immutable: ["name", "zone", "type", "failed"],
    async create(attributes, owner, signal) {
      const [zone, name, type] = ["zone", "name", "type"].map((field) => textOf(attributes[field]));
      const collection = `projects/${context.project}/zones/${zone}/disks`;
      const id = readDiskId(`${collection}/${name}`);
      const what = `the disk ${name}`;
      const existing = await findDisk(context, id, signal);
      if (existing === undefined) {
        const body = {
          name,
          type: `projects/${context.project}/zones/${zone}/diskTypes/${type}`,
          sizeGb: String(numberOf(attributes["size"])),
          labels: renderOwnerLabels(attributes["labels"], owner),
        };
        const requestId = toRequestId(`${owner.token} disk`);
        const doing = `create ${what} in ${zone}`;
        const change = { doing, action: "disks.insert", method: "POST", path: collection, requestId, body } as const;
        await runChange(context, change, { signal, timeoutMs }).catch(async (error: unknown) => {
          const taken = isCloudFault(error, "conflict", "unavailable") ? await findDisk(context, id, signal) : undefined;
          if (taken === undefined) throw error;
          checkTaken(what, taken.labels, owner);
        });
      } else checkTaken(what, existing.labels, owner);
      const made = await findDisk(context, id, signal);
      return { id, attributes: made === undefined ? attributes : toAttributes(made) };
    },
    async read(id, signal) {
      const found = await findDisk(context, readDiskId(id), signal);
      return found === undefined || found.status === "DELETING" ? undefined : toAttributes(found);
    },
    async update(id, attributes, signal) {
      const path = readDiskId(id);
      const now = await findDisk(context, path, signal);
      if (now === undefined) throw createCloudFault(`there is no disk ${id}`, { cloud: "gcp", category: "not_found" });
      const [size, wanted] = [Number(now.sizeGb ?? 0), numberOf(attributes["size"])];
      if (wanted > 0 && wanted < size)
        throw refuseRequest("gcp", `the disk ${lastPart(id)} has ${size} GiB and cannot shrink to ${wanted} GiB`);
      const growth: DisksResizeRequest = { sizeGb: String(wanted) };
      if (wanted > size) await send("resize", `grow the disk ${lastPart(id)}`, growth);
      const labels = replaceOwnLabels(now.labels, attributes["labels"]);
      if (attributes["labels"] !== undefined && !isDeepStrictEqual(labels, now.labels ?? {})) {
        const body = { labels, labelFingerprint: now.labelFingerprint ?? "" };
        await send("setLabels", `label the disk ${lastPart(id)}`, body);
      }
      return toAttributes(await awaitReady(context, path, signal));

      async function send(verb: "resize" | "setLabels", doing: string, body: object): Promise<void> {
        const requestId = randomUUID();
        const change = { doing, action: `disks.${verb}`, method: "POST", path: `${path}/${verb}`, requestId, body } as const;
        await runChange(context, change, { signal, timeoutMs });
      }
    },
    async delete(id, signal) {
      const path = readDiskId(id);
      const found = await findDisk(context, path, signal);
      if (found === undefined) return;
      checkOwner(`the disk ${lastPart(id)}`, found.labels, entityUid);
      const requestId = randomUUID();
      const doing = `delete the disk ${lastPart(id)}`;
      const change = { doing, action: "disks.delete", method: "DELETE", path, requestId } as const;
      await runChange(context, change, { signal, timeoutMs }).catch((error: unknown) => {
        if (!isCloudFault(error, "not_found")) throw error;
      });
    },
    async listOwned(uid, signal) {
      return (await findDisks(context, uid, signal)).flatMap(
        (disk) => findOwned(toResourceId(disk.selfLink), disk.labels, uid) ?? [],
      );
    },
    async findOwner(id, signal) {
      return ownerOfLabels((await findDisk(context, readDiskId(id), signal))?.labels);
    },
  };
}

/** Waits until a disk whose creation was interrupted is usable. */
async function awaitReady(context: GcpContext, path: string, signal: AbortSignal): Promise<Disk> {
  return waitFor(context.clock, {
    cloud: "gcp",
    timeoutMs,
    signal,
    describe: (last) => `the disk ${lastPart(path)} is still ${last?.status ?? "unknown"}`,
    async read() {
      const found = await findDisk(context, path, signal);
      if (found !== undefined) return found;
      throw createCloudFault(`there is no disk ${path}`, { cloud: "gcp", category: "not_found" });
    },
    isDone: ({ status }) => status === "READY" || status === "FAILED",
  });
}

function toAttributes({ name = "", zone, type, sizeGb = "0", labels, status = "" }: Disk): PartAttributes {
  return {
    name,
    zone: lastPart(zone),
    type: lastPart(type),
    size: Number(sizeGb),
    labels: listOwnLabels(labels),
    ready: status === "READY",
    failed: status === "FAILED",
  };
}
