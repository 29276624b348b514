import { expect, test } from "vitest";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { azureVolumeBlueprint as blueprint } from "./volume.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "azure", simulated: true, spec: {} };
const uid = "0199aaaa-0000-7000-8000-0123456789ab";
const machine = "/subscriptions/s/resourceGroups/web/providers/Microsoft.Compute/virtualMachines/web";
const attachment = "azurerm_virtual_machine_data_disk_attachment";
const near = { instance_id: machine, region: "westeurope", zone: "westeurope-1" };

const entityOf = (spec: JsonObject = {}) =>
  createTestEntity("Volume", {
    uid,
    name: "data",
    labels: { team: "a" },
    spec: { account: "sim", sizeGib: 10, region: "westeurope", ...spec },
  });
const aroundOf = (instance: JsonObject = {}, outputs: JsonObject = {}) => ({
  ...createTestSurroundings({ outputs }),
  references: [{ field: "instance", kind: "Instance", uid: "u-web", name: "web", spec: {}, outputs: instance }],
});
const list = (spec: JsonObject = {}, around = aroundOf(), from = account) =>
  new Map(blueprint.resources(entityOf(spec), from, around).map((each) => [each.type, each.attributes]));

test("M206 a volume is a disk in its own resource group, in the region's first zone, that nobody can export", () => {
  const resources = list();
  expect([...resources.keys()]).toEqual(["azurerm_resource_group", "azurerm_managed_disk"]);
  expect(resources.get("azurerm_managed_disk")).toMatchObject({
    name: "data-456789ab",
    location: "westeurope",
    zone: "1",
    storage_account_type: "StandardSSD_LRS",
    disk_size_gb: 10,
    network_access_policy: "DenyAll",
    tags: { team: "a" },
  });
});

test("M206 type, zone and an account's resource group are used, and a disk that was built stays where it is", () => {
  const bound = { ...account, spec: { azure: { resourceGroup: "team" } } };
  const resources = list({ type: "Premium_LRS", zone: "westeurope-3" }, aroundOf(), bound);
  expect([...resources.keys()]).toEqual(["azurerm_managed_disk"]);
  const place = { resource_group_name: "team", zone: "3" };
  expect(resources.get("azurerm_managed_disk")).toMatchObject({ storage_account_type: "Premium_LRS", ...place });
  expect(list({}, aroundOf({}, place)).get("azurerm_managed_disk")).toMatchObject(place);
  expect(list({ region: "westus" }).get("azurerm_managed_disk")).toMatchObject({ zone: "" });
});

test("M206 attaching and detaching change the attachment, never the disk, and a volume keeps its number", () => {
  const [detached, attached] = [list(), list({ instance: "web" }, aroundOf(near))];
  expect(attached.get("azurerm_managed_disk")).toEqual(detached.get("azurerm_managed_disk"));
  expect(attached.get(attachment)).toEqual({
    managed_disk_id: { $address: "azurerm_managed_disk.this", $attribute: "id" },
    virtual_machine_id: machine,
    ready: true,
    failed: false,
  });
  expect(list({ instance: "web" }, aroundOf(near, { lun: 5 })).get(attachment)).toMatchObject({ lun: 5 });
});

test("M206 an instance in another region or zone, or one that has not been built, is rejected by name", () => {
  for (const outputs of [
    {},
    { ...near, zone: "westeurope-2" },
    { ...near, zone: "" },
    { instance_id: machine, region: "northeurope", zone: "northeurope-1" },
  ])
    expect(() => list({ instance: "web" }, aroundOf(outputs))).toThrow(
      expect.objectContaining({ code: "deployer.bad_spec", message: expect.stringContaining('"web"') as string }),
    );
});

test("M206 the status names the instance and the device only while the volume is attached", () => {
  const read = (instance: string, controller = "SCSI", outputs: JsonObject = {}) => {
    const attributes: Readonly<Record<string, JsonObject>> = {
      "azurerm_managed_disk.this": { id: "d", disk_size_gb: 10, zone: "1", resource_group_name: "g" },
      [`${attachment}.this`]: instance === "" ? {} : { lun: 7, disk_controller_type: controller },
    };
    return blueprint.outputs((address) => attributes[address] ?? {}, entityOf({ instance }), aroundOf(near, outputs));
  };
  expect(read("web")).toMatchObject({ volume_id: "d", attached_to: "web", device: "/dev/disk/azure/scsi1/lun7", lun: 7 });
  expect(read("web", "NVMe")).toMatchObject({ device: "/dev/disk/azure/data/by-lun/7" });
  expect(read("", "", { lun: 7 })).toMatchObject({ attached_to: "", device: "", size_gib: 10, lun: 7 });
});
