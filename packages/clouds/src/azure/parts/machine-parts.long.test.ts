import type { JsonObject } from "@cloudwright/platform/json";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CloudPart } from "../../library/parts.ts";
import { simulatedGroup, simulatedLocation, startSimulatedAzure, type SimulatedAzure } from "../testing/simulated-azure.ts";
import { createAzureParts } from "./parts.ts";

const place = { resource_group_name: simulatedGroup, location: simulatedLocation };
const { signal } = new AbortController();
const uidOf = (number: number): string => `0199aaaa-0000-7000-8000-${String(number).padStart(12, "0")}`;

let azure: SimulatedAzure;
beforeEach(async () => void (azure = await startSimulatedAzure()));
afterEach(() => azure.close());

const open = (uid: string, type: string): CloudPart =>
  createAzureParts({ ...azure.options, entityUid: uid }).parts.get(type) as CloudPart;
const make = async (number: number, type: string, attributes: JsonObject) => {
  const owner = { entityUid: uidOf(number), name: "this", token: `${type} ${number}` };
  return open(uidOf(number), type).create(attributes, owner, signal);
};

const shared = "azurerm_network_security_group";
const marker = {
  name: "deny-inbound",
  direction: "Inbound",
  access: "Deny",
  protocol: "*",
  source_port_range: "*",
  destination_port_range: "*",
  source_address_prefix: "*",
  source_application_security_group_ids: [],
  destination_address_prefix: "*",
  destination_application_security_group_ids: [],
};
const rules = (...ports: string[]): JsonObject => ({
  ...place,
  name: "shared",
  security_rule: [
    ...ports.map((port) => ({
      ...marker,
      name: `allow-${port}`,
      access: "Allow",
      protocol: "Tcp",
      destination_port_range: port,
    })),
    marker,
  ],
});

test("M180 groups that are created, changed and deleted at the same time lose no rule, and the last one takes the shared group along", async () => {
  const numbers = [1, 2, 3, 4];
  const made = await Promise.all(numbers.map((number) => make(number, shared, rules(String(number)))));
  const part = (index: number): CloudPart => open(uidOf(numbers[index] ?? 0), shared);
  const idOf = (index: number): string => made[index]?.id ?? "";
  for (const index of numbers.keys())
    expect(await part(index).read(idOf(index), signal)).toMatchObject({ ...rules(String(index + 1)), ready: true });
  await Promise.all([
    part(0).update(idOf(0), rules("10", "11"), signal),
    part(1).delete(idOf(1), signal),
    part(2).update(idOf(2), rules(), signal),
  ]);
  expect(await part(0).read(idOf(0), signal)).toMatchObject(rules("10", "11"));
  expect(await part(1).read(idOf(1), signal)).toBeUndefined();
  expect(await part(2).read(idOf(2), signal)).toMatchObject(rules());
  expect(await part(3).read(idOf(3), signal)).toMatchObject(rules("4"));
  await Promise.all([0, 2, 3].map((index) => part(index).delete(idOf(index), signal)));
  expect(await azure.inventory.list(azure.tenant, shared)).toEqual([]);
});

test("M042 a priority that was changed outside the platform is found and corrected", async () => {
  const { id } = await make(1, shared, rules("1"));
  const [record] = await azure.inventory.list(azure.tenant, shared);
  const changed = JSON.parse(JSON.stringify(record).replace('"priority":100', '"priority":4000')) as NonNullable<typeof record>;
  await azure.inventory.put(azure.tenant, changed);
  const part = open(uidOf(1), shared);
  expect(await part.read(id, signal)).toMatchObject({ ...rules("1"), ordered: false, ready: true });
  expect(await part.update(id, { ...rules("1"), ordered: true }, signal)).toMatchObject({ ordered: true });
  expect(await part.read(id, signal)).toMatchObject({ ...rules("1"), ordered: true });
});

test("M016 a network security group of the same name that is not shared is left alone", async () => {
  const id = `${azure.groupId}/providers/Microsoft.Network/networkSecurityGroups/shared`;
  const attributes = { id, name: "shared", resource_group_name: simulatedGroup, location: simulatedLocation, security_rule: [] };
  await azure.inventory.put(azure.tenant, { type: shared, id, attributes });
  await expect(make(1, shared, rules("1"))).rejects.toMatchObject({ code: "clouds.conflict" });
});

const disk = (name: string, size = 10): JsonObject => ({
  ...place,
  name,
  zone: "2",
  storage_account_type: "StandardSSD_LRS",
  disk_size_gb: size,
  network_access_policy: "DenyAll",
  tags: {},
});
const machine = (name: string): JsonObject => ({
  ...place,
  name,
  zone: "2",
  size: "Standard_B2s",
  source_image_id: "ubuntu-24.04",
  admin_username: "me",
  admin_ssh_key: [{ public_key: "ssh-ed25519 AAAA me@here" }],
  network_interface_ids: [`${azure.groupId}/providers/Microsoft.Network/networkInterfaces/${name}-nic`],
  user_data: "",
  os_disk: [{ disk_size_gb: 30, disk_encryption_set_id: "" }],
  secure_boot_enabled: false,
  vtpm_enabled: false,
  encryption_at_host_enabled: false,
  power_state: "running",
  tags: {},
});

async function createMachine(name: string): Promise<string> {
  const configuration = { subnet_id: azure.subnetId, public_ip_address_id: "" };
  const card = { ...place, name: `${name}-nic`, ip_configuration: [configuration], tags: {} };
  await make(100, "azurerm_network_interface", { ...card, network_security_group_id: "", application_security_group_ids: [] });
  return (await make(100, "azurerm_linux_virtual_machine", machine(name))).id;
}

const attachment = "azurerm_virtual_machine_data_disk_attachment";

test("M206 volumes that are attached at the same time get different numbers, and a changed machine keeps them", async () => {
  const machineId = await createMachine("web");
  const disks = await Promise.all([1, 2, 3].map((number) => make(number, "azurerm_managed_disk", disk(`d${number}`))));
  const attach = (index: number) =>
    make(index + 1, attachment, { managed_disk_id: disks[index]?.id ?? "", virtual_machine_id: machineId, lun: 5 });
  const made = await Promise.all([attach(0), attach(1), attach(2)]);
  expect(new Set(made.map(({ attributes }) => attributes["lun"])).size).toBe(3);
  const part = open(uidOf(100), "azurerm_linux_virtual_machine");
  await part.update(machineId, { ...machine("web"), size: "Standard_B4ms", tags: { team: "a" } }, signal);
  const read = (index: number) => open(uidOf(index + 1), attachment).read(made[index]?.id ?? "", signal);
  for (const index of [0, 1, 2]) expect(await read(index)).toEqual(made[index]?.attributes);
  expect(await open(uidOf(2), attachment).listOwned(uidOf(2), signal)).toEqual([{ id: made[1]?.id, name: "this" }]);
  await part.delete(machineId, signal);
  for (const index of [0, 1, 2]) expect(await read(index)).toBeUndefined();
  expect((await azure.inventory.list(azure.tenant, "azurerm_managed_disk")).length).toBe(3);
}, 60_000);

test("M206 a disk of another machine, of another owner or beyond the machine's limit is not attached", async () => {
  const [one, two] = [await createMachine("one"), await createMachine("two")];
  const ids = await Promise.all(
    [1, 2, 3, 4, 5].map(async (number) => (await make(number, "azurerm_managed_disk", disk(`d${number}`))).id),
  );
  const attach = (number: number, machineId: string, owner = number) =>
    make(owner, attachment, { managed_disk_id: ids[number - 1] ?? "", virtual_machine_id: machineId });
  await attach(1, one);
  await expect(attach(1, two)).rejects.toMatchObject({ code: "clouds.conflict" });
  await expect(attach(2, one, 9)).rejects.toMatchObject({ code: "clouds.conflict" });
  for (const number of [2, 3, 4]) await attach(number, one);
  await expect(attach(5, one)).rejects.toMatchObject({ code: "clouds.quota" });
}, 60_000);

test("M206 a disk that a running machine uses grows up to 4 TiB, and beyond only while the machine is stopped", async () => {
  const machineId = await createMachine("web");
  const { id } = await make(1, "azurerm_managed_disk", disk("d1"));
  await make(1, attachment, { managed_disk_id: id, virtual_machine_id: machineId });
  const part = open(uidOf(1), "azurerm_managed_disk");
  expect(await part.update(id, disk("d1", 4096), signal)).toMatchObject({ disk_size_gb: 4096 });
  await expect(part.update(id, disk("d1", 5000), signal)).rejects.toMatchObject({ code: "clouds.conflict" });
  await expect(part.update(id, disk("d1", 100), signal)).rejects.toMatchObject({ code: "clouds.invalid" });
  const power = { ...machine("web"), power_state: "stopped" };
  await open(uidOf(100), "azurerm_linux_virtual_machine").update(machineId, power, signal);
  expect(await part.update(id, disk("d1", 5000), signal)).toMatchObject({ disk_size_gb: 5000 });
}, 60_000);
