import { textOf } from "@cloudwright/platform";
import type { ApiCall } from "../../../api/api-service.ts";
import { findRecord, listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { mapOf, textsAt } from "../../../values/read-value.ts";
import { isList, type ValueMap } from "../../../values/value.ts";
import { toId } from "../../resource.ts";
import { refuse } from "../errors.ts";
import { lastPart, linkOf, missing, refuseValue, requireIdle } from "./compute-records.ts";

type Fields = Readonly<Record<string, unknown>>;

const mostDisks = 128;

/** Returns the attributes of an instance to which a disk is attached. Throws Compute Engine's error if that is not possible. */
export async function attachDisk(call: ApiCall, instance: CloudRecord, request: Fields): Promise<ValueMap> {
  const asked = textOf(request["source"]);
  const id = toId(asked) ?? asked;
  const zone = instance.id.replace(/\/instances\/.*/, "");
  if (!id.startsWith(`${zone}/disks/`)) {
    const message = `Invalid value for field 'resource.source': '${asked.slice(0, 200)}'. The disk must be in the zone of the instance.`;
    refuseValue(message);
  }
  const disk = (await findRecord(call, "google_compute_disk", id)) ?? refuse(missing(id));
  requireIdle(call, disk);
  const user = (await listRecords(call, "google_compute_instance")).find((each) => isUsedBy(disk, each));
  if (user !== undefined) {
    const message = `The disk resource '${id}' is already being used by '${user.id}'`;
    refuse({ code: "resourceInUseByAnotherResource", message, status: 400 });
  }
  const attached = listAttached(instance);
  if (attached.length + 1 >= mostDisks) {
    const message = `Exceeded limit 'maximum_persistent_disks' on resource '${lastPart(instance.id)}'. Limit: ${mostDisks}.0`;
    refuse({ code: "limitExceeded", message, status: 400 });
  }
  const name = textOf(request["deviceName"]) || `persistent-disk-${attached.length + 1}`;
  if (!/^[a-z0-9][-_.a-z0-9]{0,62}$/i.test(name) || attached.some((each) => each["device_name"] === name))
    refuseValue(`Invalid value for field 'resource.deviceName': '${name.slice(0, 100)}'. It is malformed or already in use.`);
  const mode = textOf(request["mode"]) || "READ_WRITE";
  return { attached_disk: [...attached, { source: linkOf(id), mode, device_name: name }] };
}

/** Returns the attributes of an instance from which a device is detached. Throws Compute Engine's error if there is no such device. */
export function detachDisk(instance: CloudRecord, deviceName: string): ValueMap {
  const attached = listAttached(instance);
  const others = attached.filter((each) => each["device_name"] !== deviceName);
  if (others.length === attached.length)
    refuseValue(
      `Invalid value for field 'deviceName': '${deviceName.slice(0, 100)}'. No attached disk found with this device name.`,
    );
  return { attached_disk: others };
}

/** Returns whether an instance uses a disk. */
export function isUsedBy({ id }: CloudRecord, { attributes }: CloudRecord): boolean {
  return ["boot_disk.source", "attached_disk.source"].some((path) => textsAt(attributes, path).some((link) => toId(link) === id));
}

function listAttached({ attributes }: CloudRecord): readonly ValueMap[] {
  const blocks = attributes["attached_disk"];
  return (isList(blocks) ? blocks : []).map(mapOf);
}
