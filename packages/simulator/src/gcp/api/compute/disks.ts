import { objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { numberOf } from "../../../values/read-value.ts";
import { numericId } from "../../place.ts";
import { isUsedBy } from "./attachments.ts";
import { findRepeated, renderOperation, tokenOf } from "./compute-operations.ts";
import {
  getRecord,
  labelsOf,
  lastPart,
  linkOf,
  listHere,
  operate,
  parameterOf,
  renderAggregated,
  renderList,
  refuseValue,
  requireIdle,
  scopePath,
  writeLabels,
} from "./compute-records.ts";
import { fingerprintOf } from "./instance-mapping.ts";
import { findImage, pathOfImage } from "./images.ts";
import { listZoneScopes } from "./places.ts";

const type = "google_compute_disk";
const collection = "/zones/{zone}/disks";
const one = `${collection}/{disk}`;

/** Operations on persistent disks. */
export const diskOperations: readonly ApiOperation[] = [
  operate("disks.insert", ["POST", collection], { type, operation: "create" }, async (call) => {
    const body = objectOf(call.body);
    const { name, sizeGb, type: kind, sourceImage, labels, description } = body;
    const image = findImage(textOf(sourceImage));
    const config = {
      name: textOf(name),
      project: parameterOf(call, "project"),
      zone: parameterOf(call, "zone"),
      ...(sizeGb === undefined ? {} : { size: Number(sizeGb) }),
      ...(textOf(kind) === "" ? {} : { type: lastPart(kind) }),
      ...(image === undefined ? {} : { image: linkOf(pathOfImage(image)) }),
      ...(textOf(description) === "" ? {} : { description: textOf(description) }),
      ...writeLabels(labels),
    };
    const note = { name: "insert", token: tokenOf(call), request: body, beyond: { api_created_ms: Math.floor(call.nowMs) } };
    return renderOperation(call, (await call.operations.create(type, config, note)).operation);
  }),
  operate("disks.get", ["GET", one], { type, operation: "read" }, async (call) =>
    (await openDisks(call)).render(await getDisk(call)),
  ),
  operate("disks.list", ["GET", collection], { type, operation: "read" }, async (call) => {
    const { render } = await openDisks(call);
    return renderList(call, "diskList", (await listHere(call, type)).map(render), `${scopePath(call)}/disks`);
  }),
  operate("disks.aggregatedList", ["GET", "/aggregated/disks"], { type, operation: "read" }, async (call) => {
    const { render } = await openDisks(call);
    const found = await listHere(call, type, `projects/${parameterOf(call, "project")}/zones/`);
    const items = found.map((record) => ({ scope: `zones/${record.id.split("/")[3]}`, item: render(record) }));
    return renderAggregated(call, "diskAggregatedList", "disks", items, listZoneScopes());
  }),
  operate("disks.setLabels", ["POST", `${one}/setLabels`], { type, operation: "update" }, async (call) => {
    const repeated = findRepeated(call, "update", type);
    if (repeated !== undefined) return renderOperation(call, repeated);
    const patch = writeLabels(objectOf(call.body)["labels"]);
    const note = { name: "setLabels", token: tokenOf(call), request: patch };
    return renderOperation(call, (await call.operations.update(await getDisk(call), patch, note)).operation);
  }),
  operate("disks.resize", ["POST", `${one}/resize`], { type, operation: "update" }, async (call) => {
    const repeated = findRepeated(call, "update", type);
    if (repeated !== undefined) return renderOperation(call, repeated);
    const disk = await getDisk(call);
    requireIdle(call, disk);
    const [size, wanted] = [numberOf(disk.attributes["size"]), Number(objectOf(call.body)["sizeGb"])];
    if (!(wanted > size)) {
      const message = `Invalid value for field 'sizeGb': '${wanted}'. New disk size '${wanted}' GiB must be larger than existing size '${size}' GiB.`;
      refuseValue(message);
    }
    const note = { name: "resizeDisk", token: tokenOf(call), request: wanted };
    return renderOperation(call, (await call.operations.update(disk, { size: wanted }, note)).operation);
  }),
  operate("disks.delete", ["DELETE", one], { type, operation: "delete" }, async (call) => {
    const repeated = findRepeated(call, "delete", type);
    if (repeated !== undefined) return renderOperation(call, repeated);
    return renderOperation(call, await call.operations.delete(await getDisk(call), { name: "delete", token: tokenOf(call) }));
  }),
];

async function getDisk(call: ApiCall): Promise<CloudRecord> {
  return getRecord(call, type, `${scopePath(call)}/disks/${parameterOf(call, "disk")}`);
}

async function openDisks(call: ApiCall): Promise<{ readonly render: (disk: CloudRecord) => Record<string, unknown> }> {
  const instances = await listRecords(call, "google_compute_instance");
  const usersOf = (disk: CloudRecord): readonly string[] =>
    instances.filter((instance) => isUsedBy(disk, instance)).map((instance) => linkOf(instance.id));
  return { render: (disk) => renderDisk(call, disk, usersOf(disk)) };
}

function renderDisk({ operations }: ApiCall, record: CloudRecord, users: readonly string[]): Record<string, unknown> {
  const { id, attributes } = record;
  const [, project = "", , zone = ""] = id.split("/");
  const labels = labelsOf(record);
  const text = (name: string): string | undefined => textOf(attributes[name]) || undefined;
  const pending = operations.findPending(record)?.verb;
  return {
    kind: "compute#disk",
    id: text("disk_id") ?? numericId(id),
    creationTimestamp: text("creation_timestamp"),
    name: textOf(attributes["name"]),
    description: text("description"),
    sizeGb: String(numberOf(attributes["size"])),
    zone: linkOf(`projects/${project}/zones/${zone}`),
    status: pending === "create" ? "CREATING" : pending === "delete" ? "DELETING" : "READY",
    sourceImage: text("image"),
    type: linkOf(`projects/${project}/zones/${zone}/diskTypes/${lastPart(attributes["type"]) || "pd-standard"}`),
    ...(users.length === 0 ? {} : { users }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    labelFingerprint: fingerprintOf(labels),
    physicalBlockSizeBytes: "4096",
    selfLink: linkOf(id),
  };
}
