import { listOf, objectOf, textOf } from "@cloudwright/platform";
import type { ApiAnswer, ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { inTurn } from "../../../api/in-turn.ts";
import { listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { mapOf, numberOf, textsAt } from "../../../values/read-value.ts";
import { isList, type ValueMap } from "../../../values/value.ts";
import { findVmSize } from "../../compute/vm-sizes.ts";
import { getResource, keepBeyond, requireIdle, spellLocation, type ArmKind } from "../arm-kind.ts";
import { accept, findById } from "../arm-resources.ts";
import { refuse } from "../errors.ts";

const name = "VirtualMachines_AttachDetachDataDisks";
const luns = Array.from({ length: 64 }, (_none, lun) => lun);
const diskType = "azurerm_managed_disk";

/** Creates the operation that attaches disks to a machine and detaches others. `render` returns the machine's storage profile. */
export function createDiskOperation(kind: ArmKind, one: string, render: (record: CloudRecord) => unknown): ApiOperation {
  return {
    name,
    match: { method: "POST", path: `${one}/attachDetachDataDisks` },
    touches: { type: kind.mapping.type, operation: "update" },
    run: (call) => inTurn(`${call.caller.tenant}\ndata disks`, () => change(call, kind, render)),
  };
}

async function change(call: ApiCall, kind: ArmKind, render: (record: CloudRecord) => unknown): Promise<ApiAnswer> {
  const machine = await getResource(call, kind);
  const { dataDisksToAttach, dataDisksToDetach } = objectOf(call.body);
  const [attached, detached] = [listOf(dataDisksToAttach).map(objectOf), listOf(dataDisksToDetach).map(objectOf)];
  if (attached.length + detached.length === 0) {
    refuse("InvalidParameter", "Required parameter 'dataDisksToAttach' or 'dataDisksToDetach' is missing (null).", 400);
  }
  for (const { diskId } of attached) await checkDetaching(call, textOf(diskId));
  requireIdle(call, machine);
  const gone = new Set(detached.map(({ diskId }) => textOf(diskId).toLowerCase()));
  const kept = listDataDisks(machine).filter((disk) => !gone.has(textOf(disk["id"]).toLowerCase()));
  const added: ValueMap[] = [];
  for (const wanted of attached) added.push(await attach(call, machine, wanted, [...kept, ...added]));
  const { record, operation } = await call.operations.update(machine, {}, { name });
  const freed = listDataDisks(machine).filter((disk) => gone.has(textOf(disk["id"]).toLowerCase()));
  const changed = await keepBeyond(call, record, {
    api_data_disks: [...kept, ...added],
    api_detaching_ids: freed.map((disk) => textOf(disk["id"])),
  });
  for (const disk of freed) await setOwner(call, textOf(disk["id"]), "");
  for (const disk of added) await setOwner(call, textOf(disk["id"]), machine.id);
  const location = textOf(machine.attributes["location"]);
  return accept(call, operation, { namespace: "Microsoft.Compute", location, status: 202, content: render(changed) });
}

/** Checks a disk and returns its entry in the machine's list. */
async function attach(
  call: ApiCall,
  machine: CloudRecord,
  { diskId, lun, caching, deleteOption }: Readonly<Record<string, unknown>>,
  others: readonly ValueMap[],
): Promise<ValueMap> {
  const id = textOf(diskId);
  const disk = await findById(call, diskType, id);
  if (disk === undefined) return refuse("NotFound", `The Resource '${id}' was not found.`, 404);
  const owner = textOf(disk.attributes["api_managed_by"]);
  if (owner !== "") {
    const message = `Disk '${id}' cannot be attached as the disk is already owned by VM '${owner}'.`;
    refuse("ConflictingUserInput", message, 409);
  }
  checkPlace(machine, disk);
  const most = Math.min(32, Math.max(2, 2 * (findVmSize(textOf(machine.attributes["size"]))?.vcpus ?? 1)));
  if (others.length >= most) {
    const message = `The maximum number of data disks allowed to be attached to a VM of this size is ${most}.`;
    refuse("OperationNotAllowed", message, 409);
  }
  const taken = others.map((other) => numberOf(other["lun"]));
  const chosen = typeof lun === "number" ? lun : (luns.find((each) => !taken.includes(each)) ?? -1);
  if (!luns.includes(chosen) || taken.includes(chosen)) {
    refuse("InvalidParameter", `The value '${chosen}' of parameter 'dataDisk.lun' is invalid or already in use.`, 400);
  }
  return { id: disk.id, lun: chosen, caching: textOf(caching) || "None", delete_option: textOf(deleteOption) || "Detach" };
}

function checkPlace(machine: CloudRecord, disk: CloudRecord): void {
  const placeOf = ({ attributes }: CloudRecord): string => spellLocation(textOf(attributes["location"]));
  const zoneOf = ({ attributes }: CloudRecord): string => textOf(attributes["zone"]);
  const isZoneRedundant = textOf(disk.attributes["storage_account_type"]).endsWith("_ZRS");
  if (placeOf(machine) === placeOf(disk) && (isZoneRedundant || zoneOf(machine) === zoneOf(disk))) return;
  const place = zoneOf(machine) === "" ? placeOf(machine) : `zone '${zoneOf(machine)}' of ${placeOf(machine)}`;
  refuse("BadRequest", `Disk ${disk.id} cannot be attached to the VM because it is not in ${place}.`, 400);
}

/** Throws if a machine is still releasing the disk. */
async function checkDetaching(call: ApiCall, id: string): Promise<void> {
  const machines = await listRecords(call, "azurerm_linux_virtual_machine");
  const holder = machines.find(
    (machine) =>
      call.operations.findPending(machine)?.name === name &&
      textsAt(machine.attributes, "api_detaching_ids").some((each) => each.toLowerCase() === id.toLowerCase()),
  );
  if (holder === undefined) return;
  const message = `Cannot attach data disk '${id}' because it is currently being detached from the VM '${holder.id}'.`;
  refuse("AttachDiskWhileBeingDetached", message, 409);
}

async function setOwner(call: ApiCall, id: string, owner: string): Promise<void> {
  const disk = await findById(call, diskType, id);
  if (disk !== undefined) await keepBeyond(call, disk, { api_managed_by: owner });
}

/** Returns the data disks of a machine as they are stored. */
function listDataDisks({ attributes }: CloudRecord): readonly ValueMap[] {
  const value = attributes["api_data_disks"];
  return (isList(value) ? value : []).map(mapOf);
}

/** Renders the data disks of a machine. */
export function renderDataDisks(record: CloudRecord): readonly Record<string, unknown>[] {
  return listDataDisks(record).map(({ id, lun, caching, delete_option: deleteOption }) => ({
    lun,
    name: textOf(id).split("/").at(-1),
    createOption: "Attach",
    caching,
    deleteOption,
    toBeDetached: false,
    managedDisk: { id },
  }));
}
