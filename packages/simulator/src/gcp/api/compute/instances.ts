import { objectOf, textOf, textsOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { inTurn } from "../../../api/in-turn.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { mapOf } from "../../../values/read-value.ts";
import type { ValueMap } from "../../../values/value.ts";
import { hash } from "../../place.ts";
import { refuse } from "../errors.ts";
import { attachDisk, detachDisk } from "./attachments.ts";
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
  requireIdle,
  scopePath,
  writeLabels,
} from "./compute-records.ts";
import { fingerprintOf, renderInstance, statusOf, writeInstance, writeMetadata } from "./instance-mapping.ts";
import { listZoneScopes } from "./places.ts";

const type = "google_compute_instance";
const collection = "/zones/{zone}/instances";
const one = `${collection}/{instance}`;
const update = { type, operation: "update" } as const;

/** Operations on instances. */
export const instanceOperations: readonly ApiOperation[] = [
  operate("instances.insert", ["POST", collection], { type, operation: "create" }, async (call) => {
    const body = objectOf(call.body);
    const [project, zone] = [parameterOf(call, "project"), parameterOf(call, "zone")];
    const config = { ...writeInstance(body), project, zone };
    const beyond = { api_created_ms: Math.floor(call.nowMs) };
    const note = { name: "insert", token: tokenOf(call), request: [zone, body], beyond, mismatch: reused };
    return renderOperation(call, (await call.operations.create(type, config, note)).operation);
  }),
  operate("instances.get", ["GET", one], { type, operation: "read" }, async (call) =>
    renderInstance(call, await getInstance(call)),
  ),
  operate("instances.list", ["GET", collection], { type, operation: "read" }, async (call) => {
    const items = (await listHere(call, type)).map((record) => renderInstance(call, record));
    return renderList(call, "instanceList", items, `${scopePath(call)}/instances`);
  }),
  operate("instances.aggregatedList", ["GET", "/aggregated/instances"], { type, operation: "read" }, async (call) => {
    const found = await listHere(call, type, `projects/${parameterOf(call, "project")}/zones/`);
    const items = found.map((record) => ({ scope: `zones/${record.id.split("/")[3]}`, item: renderInstance(call, record) }));
    return renderAggregated(call, "instanceAggregatedList", "instances", items, listZoneScopes());
  }),
  operate("instances.delete", ["DELETE", one], { type, operation: "delete" }, async (call) => {
    const repeated = findRepeated(call, "delete", type);
    if (repeated !== undefined) return renderOperation(call, repeated);
    const record = await getInstance(call);
    requireIdle(call, record);
    return renderOperation(call, await call.operations.delete(record, { name: "delete", token: tokenOf(call) }));
  }),
  operate("instances.stop", ["POST", `${one}/stop`], update, (call) => changeStatus(call, "stop", "TERMINATED", ["RUNNING"])),
  operate("instances.suspend", ["POST", `${one}/suspend`], update, (call) =>
    changeStatus(call, "suspend", "SUSPENDED", ["RUNNING"]),
  ),
  operate("instances.start", ["POST", `${one}/start`], update, (call) => changeStatus(call, "start", "RUNNING", ["TERMINATED"])),
  operate("instances.resume", ["POST", `${one}/resume`], update, (call) =>
    changeStatus(call, "resume", "RUNNING", ["SUSPENDED"]),
  ),
  operate("instances.reset", ["POST", `${one}/reset`], update, (call) => changeStatus(call, "reset", "RUNNING", [])),
  operate("instances.setLabels", ["POST", `${one}/setLabels`], update, (call) =>
    change(call, "setLabels", (record, body) => {
      requireFingerprint(textOf(body["labelFingerprint"]), fingerprintOf(labelsOf(record)));
      return writeLabels(body["labels"]);
    }),
  ),
  operate("instances.setTags", ["POST", `${one}/setTags`], update, (call) =>
    change(call, "setTags", (record, body) => {
      requireFingerprint(textOf(body["fingerprint"]), fingerprintOf(textsOf(record.attributes["tags"])));
      return { tags: textsOf(body["items"]) };
    }),
  ),
  operate("instances.setMetadata", ["POST", `${one}/setMetadata`], update, (call) =>
    change(call, "setMetadata", (record, body) => {
      const before = Object.entries(mapOf(record.attributes["metadata"])).map(([key, value]) => ({ key, value: textOf(value) }));
      requireFingerprint(textOf(body["fingerprint"]), fingerprintOf(before));
      return { metadata: writeMetadata(body) };
    }),
  ),
  operate("instances.setMachineType", ["POST", `${one}/setMachineType`], update, (call) =>
    change(call, "setMachineType", (record, body) => {
      if (statusOf(call, record) !== "TERMINATED") {
        const message = `The instance '${record.id}' must be stopped before its machine type is changed.`;
        refuse({ code: "resourceInUseByAnotherResource", message, status: 400 });
      }
      return { machine_type: lastPart(body["machineType"]) };
    }),
  ),
  operate("instances.attachDisk", ["POST", `${one}/attachDisk`], update, (call) =>
    change(call, "attachDisk", (record, body) => attachDisk(call, record, body)),
  ),
  operate("instances.detachDisk", ["POST", `${one}/detachDisk`], update, (call) =>
    change(call, "detachDisk", (record) => detachDisk(record, call.query.get("deviceName") ?? "")),
  ),
  operate("instances.setDeletionProtection", ["POST", `${one}/setDeletionProtection`], update, (call) =>
    change(call, "setDeletionProtection", () => ({ deletion_protection: call.query.get("deletionProtection") !== "false" })),
  ),
  operate("instances.getSerialPortOutput", ["GET", `${one}/serialPort`], { type, operation: "read" }, async (call) => {
    const { id, attributes } = await getInstance(call);
    const contents = printConsole(id, textOf(attributes["name"]));
    const link = linkOf(`${id}/serialPort`);
    return { kind: "compute#serialPortOutput", contents, start: "0", next: String(contents.length), selfLink: link };
  }),
];

/** Renders the console output of a booting instance. The host key is derived from the id, so that it never changes. */
function printConsole(id: string, name: string): string {
  const length = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const key = Buffer.concat([length(Buffer.from("ssh-ed25519")), length(Buffer.from(hash(`host key ${id}`), "hex"))]);
  return [
    `Booting ${name}`,
    "-----BEGIN SSH HOST KEY KEYS-----",
    `ssh-ed25519 ${key.toString("base64")} root@${name}`,
    "-----END SSH HOST KEY KEYS-----",
    `${name} login: `,
  ].join("\n");
}

const reused = {
  code: "invalid",
  message: "Invalid value for field 'requestId': the same ID was used for another request.",
  status: 400,
} as const;

async function getInstance(call: ApiCall): Promise<CloudRecord> {
  return getRecord(call, type, `${scopePath(call)}/instances/${parameterOf(call, "instance")}`);
}

// Clients may use either of the two base64 alphabets.
function requireFingerprint(given: string, current: string): void {
  if (Buffer.from(given, "base64").equals(Buffer.from(current, "base64"))) return;
  const message = "Supplied fingerprint does not match current metadata fingerprint.";
  refuse({ code: "conditionNotMet", message, status: 412 });
}

async function change(
  call: ApiCall,
  name: string,
  plan: (record: CloudRecord, body: Readonly<Record<string, unknown>>) => ValueMap | Promise<ValueMap>,
): Promise<unknown> {
  // Concurrent requests must not attach a disk twice, or overwrite each other's list of disks.
  return inTurn(`${call.scope.tenant} ${type}`, async () => {
    const repeated = findRepeated(call, "update", type);
    if (repeated !== undefined) return renderOperation(call, repeated);
    const record = await getInstance(call);
    requireIdle(call, record);
    const patch = await plan(record, objectOf(call.body));
    const { operation } = await call.operations.update(record, patch, { name, token: tokenOf(call), request: [name, patch] });
    return renderOperation(call, operation);
  });
}

/** Changes the status of an instance. An instance that already has the status remains unchanged, and the operation succeeds. */
async function changeStatus(call: ApiCall, name: string, status: string, from: readonly string[]): Promise<unknown> {
  return change(call, name, (record) => {
    const now = statusOf(call, record);
    if (from.length > 0 && now !== status && !from.includes(now)) {
      refuse({
        code: "invalid",
        message: `Instance '${record.id}' cannot be changed by ${name} while it is ${now}.`,
        status: 400,
      });
    }
    return from.length === 0 ? { current_status: now } : { current_status: status };
  });
}
