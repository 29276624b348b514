import { findNumber, textOf } from "@cloudwright/platform/json";
import { createHash } from "node:crypto";
import { ownerTag } from "../../account-view.ts";
import { createCloudFault, isCloudFault, refuseRequest, type CloudFault } from "../../library/errors.ts";
import type { CloudPart, PartAttributes } from "../../library/parts.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { AzureContext } from "../library/context.ts";
import { libraryOperations } from "../library/operations.ts";
import { machinePath } from "../library/read-machines.ts";
import { machineKind, readReference, renderId } from "../library/references.ts";
import { operations } from "../operations.ts";
import { diskKind, diskPath, listDisks, type ManagedDisk } from "./managed-disk.ts";
import { spellId } from "./network-parts.ts";
import { checkOwner, checkTaken, findOwned } from "./part-support.ts";

const changeMs = 30 * 60_000;

/** Azure numbers the data disks of a machine from 0 to 63. */
const mostLuns = 64;

interface DataDisk {
  readonly lun?: number;
  readonly name?: string;
  readonly caching?: string;
  readonly toBeDetached?: boolean;
  readonly managedDisk?: { readonly id?: string };
}

interface Machine {
  readonly properties?: {
    readonly provisioningState?: string;
    readonly storageProfile?: { readonly diskControllerType?: string; readonly dataDisks?: readonly DataDisk[] };
  };
}

/**
 * Attachments of managed disks to machines. The ID is Terraform's: the machine's ID, `/dataDisks/` and the disk's name. Attributes:
 * `managed_disk_id`, `virtual_machine_id`, `lun` (optional; used if it is free). Outputs: `caching`, `disk_controller_type`. An attachment has no tags, so its owner is
 * that of the disk. Azure's operation changes only the named disks, so several attachments of one machine can change at the same time.
 */
export function createAttachmentPart(context: AzureContext, entityUid: string): CloudPart {
  const { api, clock } = context;
  const findMachine = (id: string, signal: AbortSignal): Promise<Machine | undefined> =>
    api.find<Machine>(`read the virtual machine ${nameOf(id)}`, libraryOperations.getMachine, {
      path: machinePath(readReference(context, machineKind, id)),
      signal,
    });
  const findDisk = (id: string, signal: AbortSignal): Promise<ManagedDisk | undefined> =>
    api.find<ManagedDisk>(`read the disk ${nameOf(id)}`, operations.getDisk, { path: diskPath(context, id), signal });
  const change = (machineId: string, doing: string, body: object, signal: AbortSignal): Promise<void> =>
    api.complete(doing, libraryOperations.changeDataDisks, {
      path: machinePath(readReference(context, machineKind, machineId)),
      body,
      signal,
    });

  /** Repeats a change until the machine has or no longer has the disk, and no change of the machine is in progress. */
  async function repeat(
    what: string,
    signal: AbortSignal,
    step: () => Promise<(() => Promise<void>) | "done" | "busy">,
  ): Promise<void> {
    let refusal: CloudFault | undefined;
    try {
      await waitFor(clock, {
        cloud: "azure",
        timeoutMs: changeMs,
        signal,
        describe: () => `${what} is still in progress`,
        async read() {
          const next = await step();
          if (typeof next === "string") return next === "done";
          try {
            await next();
          } catch (error) {
            if (!isPassing(error)) throw error;
            refusal = error;
          }
          return false;
        },
        isDone: (isOver) => isOver,
      });
    } catch (error) {
      // Azure's reason is more helpful than the timeout.
      if (isCloudFault(error, "timeout") && refusal !== undefined) throw refusal;
      throw error;
    }
  }

  async function attach(diskId: string, machineId: string, preferred: number | undefined, signal: AbortSignal): Promise<void> {
    const triedLuns = new Set<number>();
    await repeat(`attaching ${nameOf(diskId)}`, signal, async () => {
      const [machine, disk] = [await findMachine(machineId, signal), await findDisk(diskId, signal)];
      if (machine === undefined) throw missing(`the virtual machine ${machineId}`);
      if (disk === undefined) throw missing(`the disk ${diskId}`);
      checkFree(context, disk, diskId, machineId);
      if (machine.properties?.provisioningState === "Updating") return "busy";
      if (findEntry(machine, diskId) !== undefined) return "done";
      const lun = chooseLun(diskId, machine, preferred);
      // Azure has no specific error code for a LUN that another attachment has taken in the meantime.
      const isRepeated = triedLuns.has(lun);
      triedLuns.add(lun);
      const body = { dataDisksToAttach: [{ diskId, lun, caching: "None", deleteOption: "Detach" }] };
      return async () => {
        try {
          await change(machineId, `attach the disk ${nameOf(diskId)} to ${nameOf(machineId)}`, body, signal);
        } catch (error) {
          if (!isCloudFault(error, "invalid") || isRepeated || !(await isTaken(machineId, lun, signal))) throw error;
        }
      };
    });
  }

  const isTaken = async (machineId: string, lun: number, signal: AbortSignal): Promise<boolean> =>
    listEntries(await findMachine(machineId, signal)).some((entry) => entry.lun === lun);

  async function read(id: string, signal: AbortSignal): Promise<PartAttributes | undefined> {
    const { machineId, diskName } = readAttachment(context, id);
    const machine = await findMachine(machineId, signal);
    const entry = listEntries(machine).find(
      (each) => nameOf(each.managedDisk?.id ?? "").toLowerCase() === diskName.toLowerCase(),
    );
    if (machine === undefined || entry === undefined) return undefined;
    return {
      managed_disk_id: spellId(context, diskKind, entry.managedDisk?.id ?? ""),
      virtual_machine_id: machineId,
      lun: entry.lun ?? 0,
      caching: entry.caching ?? "None",
      disk_controller_type: machine.properties?.storageProfile?.diskControllerType ?? "SCSI",
      ready: true,
      failed: false,
    };
  }

  async function get(id: string, signal: AbortSignal): Promise<PartAttributes> {
    const found = await read(id, signal);
    if (found !== undefined) return found;
    throw missing(`the attachment ${id}`);
  }

  const findOwner = async (id: string, signal: AbortSignal): Promise<string | undefined> => {
    const found = await read(id, signal);
    const disk = found === undefined ? undefined : await findDisk(textOf(found["managed_disk_id"]), signal);
    return disk?.tags?.[ownerTag];
  };

  return {
    name: "azurerm_virtual_machine_data_disk_attachment",
    immutable: ["managed_disk_id", "virtual_machine_id"],
    async create(attributes, owner, signal) {
      const diskId = spellId(context, diskKind, textOf(attributes["managed_disk_id"]));
      const machineId = spellId(context, machineKind, textOf(attributes["virtual_machine_id"]));
      const disk = await findDisk(diskId, signal);
      if (disk === undefined) throw missing(`the disk ${diskId}`);
      checkTaken(`the disk ${nameOf(diskId)}`, disk.tags, owner);
      await attach(diskId, machineId, findNumber(attributes["lun"]), signal);
      const id = renderAttachment(machineId, diskId);
      return { id, attributes: await get(id, signal) };
    },
    read,
    // Everything that can change replaces the attachment. Its number stays as it is while it exists.
    update: (id, _attributes, signal) => get(id, signal),
    async delete(id, signal) {
      const found = await read(id, signal);
      if (found === undefined) return;
      checkOwner(`the attachment ${id}`, { [ownerTag]: (await findOwner(id, signal)) ?? entityUid }, entityUid);
      const [machineId, diskId] = [textOf(found["virtual_machine_id"]), textOf(found["managed_disk_id"])];
      const body = { dataDisksToDetach: [{ diskId }] };
      await repeat(`detaching ${nameOf(diskId)}`, signal, async () => {
        const machine = await findMachine(machineId, signal);
        if (machine?.properties?.provisioningState === "Updating") return "busy";
        if (findEntry(machine, diskId) !== undefined)
          return () => change(machineId, `detach the disk ${nameOf(diskId)} from ${nameOf(machineId)}`, body, signal);
        const disk = await findDisk(diskId, signal);
        return disk?.managedBy !== undefined && isSame(disk.managedBy, machineId) ? "busy" : "done";
      });
    },
    async listOwned(uid, signal) {
      return (await listDisks(context, signal)).flatMap(({ id = "", managedBy = "", tags }) => {
        if (managedBy === "") return [];
        const attachment = renderAttachment(spellId(context, machineKind, managedBy), spellId(context, diskKind, id));
        return findOwned(attachment, tags, uid) ?? [];
      });
    },
    findOwner,
  };
}

/** Returns whether a refused change can succeed later, because it competed with another one. */
function isPassing(error: unknown): error is CloudFault {
  return isCloudFault(error, "conflict");
}

/** Throws `clouds.conflict` if the disk is attached to another machine. */
function checkFree(context: AzureContext, { managedBy = "" }: ManagedDisk, diskId: string, machineId: string): void {
  if (managedBy === "" || isSame(spellId(context, machineKind, managedBy), machineId)) return;
  const message = `the disk ${nameOf(diskId)} is attached to ${managedBy}; detach it first`;
  throw createCloudFault(message, { cloud: "azure", category: "conflict" });
}

/**
 * Chooses a free number. The search starts at the preferred number or at one derived from the disk. So the disk usually keeps its device
 * path when it moves to another machine, and concurrent attachments rarely compete.
 */
function chooseLun(diskId: string, machine: Machine, preferred: number | undefined): number {
  const taken = new Set(listEntries(machine).map(({ lun }) => lun));
  const derived = createHash("sha256").update(diskId.toLowerCase()).digest().readUInt32BE(0);
  const first = (preferred ?? derived) % mostLuns;
  const luns = Array.from({ length: mostLuns }, (_none, step) => (first + step) % mostLuns);
  const free = luns.find((lun) => !taken.has(lun));
  if (free !== undefined) return free;
  throw createCloudFault(`the machine has ${mostLuns} data disks, which is the most that Azure allows`, {
    cloud: "azure",
    category: "quota",
  });
}

function listEntries(machine: Machine | undefined): readonly DataDisk[] {
  return machine?.properties?.storageProfile?.dataDisks ?? [];
}

function findEntry(machine: Machine | undefined, diskId: string): DataDisk | undefined {
  return listEntries(machine).find(({ managedDisk }) => isSame(managedDisk?.id ?? "", diskId));
}

/** ARM IDs are case-insensitive. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function nameOf(id: string): string {
  return id.split("/").at(-1) ?? "";
}

function renderAttachment(machineId: string, diskId: string): string {
  return `${machineId}/dataDisks/${nameOf(diskId)}`;
}

function readAttachment(context: AzureContext, id: string): { readonly machineId: string; readonly diskName: string } {
  const { machine, diskName } = /^(?<machine>.+)\/dataDisks\/(?<diskName>[^/]+)$/i.exec(id)?.groups ?? {};
  if (machine === undefined || diskName === undefined)
    throw refuseRequest(
      "azure",
      `"${id}" is not the ID of an attachment; use <ID of the virtual machine>/dataDisks/<name of the disk>`,
    );
  const { isExact: _exact, ...place } = readReference(context, machineKind, machine);
  return { machineId: renderId(place, machineKind.type), diskName };
}

function missing(what: string): Error {
  return createCloudFault(`${what} does not exist`, { cloud: "azure", category: "not_found" });
}
