import { objectOf, textOf } from "@cloudwright/platform";
import type { ApiAnswer, ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { readFields } from "../../../api/map-fields.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { getResource, keepBeyond, listArmOperations, requireIdle, type ArmKind, type Written } from "../arm-kind.ts";
import { accept, etagOf } from "../arm-resources.ts";
import { refuse } from "../errors.ts";
import { createConsoleLink } from "./console.ts";
import { createDiskOperation, renderDataDisks } from "./data-disks.ts";
import { machineMapping, powerOf, readMarked, renderInstanceView } from "./machine-mapping.ts";

const { type } = machineMapping;

const machineKind: ArmKind = {
  mapping: machineMapping,
  path: "Microsoft.Compute/virtualMachines/{vmName}",
  title: "VirtualMachines",
  names: { update: "Update" },
  read: readMachine,
  complete: completeMachine,
};

const one = `/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/${machineKind.path}`;

/** Operations on virtual machines. */
export const machineOperations: readonly ApiOperation[] = [
  ...listArmOperations(machineKind),
  {
    name: "VirtualMachines_InstanceView",
    match: { method: "GET", path: `${one}/instanceView` },
    touches: { type, operation: "read" },
    run: async (call) => ({ content: renderInstanceView(call, await getResource(call, machineKind)) }),
  },
  powerOperation("Start", "start", "running"),
  powerOperation("PowerOff", "powerOff", "stopped"),
  powerOperation("Deallocate", "deallocate", "deallocated"),
  powerOperation("Restart", "restart", "running"),
  createDiskOperation(machineKind, one, (record) =>
    renderStorage(objectOf(readFields(machineMapping, record)["properties"]), record),
  ),
  {
    name: "VirtualMachines_RetrieveBootDiagnosticsData",
    match: { method: "POST", path: `${one}/retrieveBootDiagnosticsData` },
    touches: { type, operation: "read" },
    async run(call) {
      const machine = await getResource(call, machineKind);
      const minutes = Number(call.query.get("sasUriExpirationTimeInMinutes") ?? 120);
      if (!Number.isInteger(minutes) || minutes < 1 || minutes > 1440) {
        refuse("InvalidParameter", "sasUriExpirationTimeInMinutes must be between 1 and 1440.", 400);
      }
      return { content: { serialConsoleLogBlobUri: await createConsoleLink(call, machine, minutes) } };
    },
  },
];

function powerOperation(title: string, action: string, power: string): ApiOperation {
  const name = `VirtualMachines_${title}`;
  return {
    name,
    match: { method: "POST", path: `${one}/${action}` },
    touches: { type, operation: "update" },
    async run(call): Promise<ApiAnswer> {
      const machine = await getResource(call, machineKind);
      const pending = call.operations.findPending(machine);
      // A repeated request joins the operation in progress.
      if (pending?.name === name) return follow(call, machine, pending);
      requireIdle(call, machine);
      const isThere = powerOf(machine) === power && action !== "restart";
      const { record, operation } = await call.operations.update(machine, {}, { name, isInstant: isThere });
      await keepBeyond(call, record, { api_power: power });
      return follow(call, machine, operation);
    },
  };
}

function follow(call: ApiCall, { attributes }: CloudRecord, operation: Parameters<typeof accept>[1]): ApiAnswer {
  const location = textOf(attributes["location"]);
  return accept(call, operation, { namespace: "Microsoft.Compute", location, status: 202 });
}

function readMachine(call: ApiCall, body: unknown, existing: CloudRecord | undefined): Written {
  const properties = objectOf(objectOf(body)["properties"]);
  const profile = objectOf(properties["osProfile"]);
  if (existing !== undefined) return { config: {} };
  if (objectOf(profile["windowsConfiguration"])["provisionVMAgent"] !== undefined) {
    refuse("InvalidParameter", "Windows machines are not simulated.", 400);
  }
  if (textOf(profile["adminUsername"]) === "") {
    refuse("InvalidParameter", "Required parameter 'osProfile.adminUsername' is missing (null).", 400);
  }
  const disk = objectOf(objectOf(properties["storageProfile"])["osDisk"]);
  const { cards, isDisk } = readMarked(body);
  const group = `/subscriptions/${call.parameters["subscriptionId"] ?? ""}/resourceGroups/${call.parameters["resourceGroupName"] ?? ""}`;
  const diskId = `${group}/providers/Microsoft.Compute/disks/${textOf(disk["name"])}`;
  return {
    config: textOf(disk["caching"]) === "" ? { os_disk: [{ ...diskOf(disk), caching: "ReadWrite" }] } : {},
    beyond: { api_delete_ids: [...cards, ...(isDisk ? [diskId] : [])], api_power: "running" },
  };
}

function diskOf(disk: Readonly<Record<string, unknown>>) {
  const managed = objectOf(disk["managedDisk"]);
  const size = disk["diskSizeGB"];
  return {
    name: textOf(disk["name"]) || null,
    disk_size_gb: typeof size === "number" ? size : null,
    storage_account_type: textOf(managed["storageAccountType"]) || null,
    disk_encryption_set_id: textOf(objectOf(managed["diskEncryptionSet"])["id"]) || null,
  };
}

function renderStorage(properties: Readonly<Record<string, unknown>>, record: CloudRecord): Record<string, unknown> {
  const storage = objectOf(properties["storageProfile"]);
  const osDisk = { osType: "Linux", createOption: "FromImage", ...objectOf(storage["osDisk"]) };
  return { ...storage, osDisk, dataDisks: renderDataDisks(record) };
}

function completeMachine(call: ApiCall, record: CloudRecord, rendered: Record<string, unknown>): Record<string, unknown> {
  const expanded = (call.query.get("$expand") ?? "").split(",").map((each) => each.trim().toLowerCase());
  const createdMs = record.attributes["api_created_ms"];
  const properties = objectOf(rendered["properties"]);
  const userData = textOf(record.attributes["user_data"]);
  const security = objectOf(properties["securityProfile"]);
  const isTrusted = Object.values(objectOf(security["uefiSettings"])).includes(true);
  return {
    ...rendered,
    etag: `"${etagOf(record.attributes)}"`,
    properties: {
      ...properties,
      storageProfile: renderStorage(properties, record),
      ...(isTrusted ? { securityProfile: { securityType: "TrustedLaunch", ...security } } : {}),
      ...(typeof createdMs === "number" ? { timeCreated: new Date(createdMs).toISOString() } : {}),
      ...(expanded.includes("instanceview") ? { instanceView: renderInstanceView(call, record) } : {}),
      ...(expanded.includes("userdata") && userData !== "" ? { userData } : {}),
    },
  };
}
