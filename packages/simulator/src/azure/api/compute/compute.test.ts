import { objectOf, textOf } from "@cloudwright/platform";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeConditions } from "../../../cloud/conditions.ts";
import { callProvider } from "../../../testing/call-provider.ts";
import { azureProvider } from "../../provider.ts";
import { createMachine, location, machineBody, openAzure, type AzureUnderTest, type SendRequest } from "../testing/open-azure.ts";

let azure: AzureUnderTest;
let send: SendRequest;
beforeEach(async () => {
  azure = await openAzure();
  send = await azure.connect("a");
});
afterEach(() => azure.close());

const waitMs = 120_000;
const network = "~/providers/Microsoft.Network";
const kept = ["azurerm_network_interface", "azurerm_public_ip", "azurerm_managed_disk", "azurerm_linux_virtual_machine"];

async function powerOf(path: string): Promise<readonly string[]> {
  const { body } = await send("GET", `${path}/instanceView`);
  return (body["statuses"] as unknown as { code: string }[]).map(({ code }) => code);
}

async function listLeft(): Promise<readonly string[]> {
  return (await Promise.all(kept.map((type) => azure.inventory.list("a", type))))
    .flat()
    .map(({ id }) => id.split("/").at(-1) ?? "");
}

test("M148 a machine runs with its disk and addresses, and everything marked for deletion is deleted with it", async () => {
  const path = await createMachine(send);
  expect(await powerOf(path)).toEqual(["ProvisioningState/creating"]);
  azure.advance(waitMs);
  expect(await powerOf(path)).toEqual(["ProvisioningState/succeeded", "PowerState/running"]);
  const { body } = await send("GET", `${path}?$expand=instanceView`);
  expect(body).toMatchObject({
    zones: ["1"],
    properties: {
      provisioningState: "Succeeded",
      hardwareProfile: { vmSize: "Standard_D4s_v5" },
      osProfile: { adminUsername: "azureuser", computerName: "vm" },
      instanceView: { statuses: [{}, { code: "PowerState/running" }] },
    },
  });
  expect(JSON.stringify(body)).not.toContain("aGVsbG8=");
  expect((await send("GET", `${path}?$expand=userData`)).text).toContain("aGVsbG8=");
  const card = await send("GET", `${network}/networkInterfaces/vm-nic`);
  expect(card.body).toMatchObject({
    properties: {
      virtualMachine: { id: body["id"] },
      ipConfigurations: [{ properties: { privateIPAddress: expect.stringMatching(/^10\.1\.0\./) as string } }],
    },
  });
  const address = await send("GET", `${network}/publicIPAddresses/vm-ip`);
  expect(textOf(objectOf(address.body["properties"])["ipAddress"])).toMatch(/^20\./);
  expect(await listLeft()).toEqual(["vm-nic", "vm-ip", "vm-disk", "vm"]);
  expect((await send("DELETE", path)).status).toBe(202);
  azure.advance(waitMs);
  expect((await send("GET", path)).status).toBe(404);
  expect(await listLeft()).toEqual([]);
});

test("M148 nothing in use can be deleted, and a network interface belongs to one machine", async () => {
  const path = await createMachine(send, "one");
  azure.advance(waitMs);
  const refused = async (target: string): Promise<string> => (await send("DELETE", target)).code;
  expect(await refused(`${network}/networkInterfaces/one-nic`)).toBe("NicInUse");
  expect(await refused(`${network}/publicIPAddresses/one-ip`)).toBe("PublicIPAddressCannotBeDeleted");
  expect(await refused(`${network}/virtualNetworks/net`)).toBe("InUseSubnetCannotBeDeleted");
  expect(await refused("~/providers/Microsoft.Compute/disks/one-disk")).toBe("OperationNotAllowed");
  const id = textOf((await send("GET", `${network}/networkInterfaces/one-nic`)).body["id"]);
  const again = await send("PUT", path.replace(/one$/, "two"), { body: machineBody(id, "two") });
  expect(again.code).toBe("NicInUse");
  const missing = await send("PUT", path.replace(/one$/, "two"), { body: machineBody(`${id}x`, "two") });
  expect(missing.code).toBe("InvalidResourceReference");
});

test("M148 resources that are not marked for deletion remain when a machine is deleted", async () => {
  const path = await createMachine(send, "one");
  azure.advance(waitMs);
  const properties = { subnet: { id: "" } };
  const card = await send("GET", `${network}/networkInterfaces/one-nic`);
  const [configuration] = objectOf(card.body["properties"])["ipConfigurations"] as unknown as { properties: typeof properties }[];
  const { subnet } = configuration?.properties ?? properties;
  const two = await send("PUT", `${network}/networkInterfaces/two-nic`, {
    body: { location, properties: { ipConfigurations: [{ name: "main", properties: { subnet } }] } },
  });
  const body = JSON.stringify(machineBody(textOf(two.body["id"]), "two")).replaceAll('"Delete"', '"Detach"');
  const other = path.replace(/one$/, "two");
  expect((await send("PUT", other, { body })).status).toBe(201);
  azure.advance(waitMs);
  await send("DELETE", other);
  azure.advance(waitMs);
  expect((await send("GET", other)).status).toBe(404);
  expect(await listLeft()).toEqual(["one-nic", "two-nic", "one-ip", "one-disk", "two-disk", "one"]);
  expect((await send("GET", "~/providers/Microsoft.Compute/disks/two-disk")).body["managedBy"]).toBeUndefined();
});

test("M146 a machine is stopped, deallocated and started, and repeated requests succeed", async () => {
  const path = await createMachine(send);
  expect(await send("POST", `${path}/deallocate`)).toMatchObject({ status: 409, code: "OperationNotAllowed" });
  azure.advance(waitMs);
  for (const [action, passing, power] of [
    ["powerOff", "stopping", "stopped"],
    ["deallocate", "deallocating", "deallocated"],
    ["start", "starting", "running"],
  ] as const) {
    const accepted = await send("POST", `${path}/${action}`);
    expect(accepted.status).toBe(202);
    expect(await powerOf(path)).toContain(`PowerState/${passing}`);
    expect((await send("POST", `${path}/${action}`)).status).toBe(202);
    azure.advance(waitMs);
    expect((await send("GET", accepted.headers.get("azure-asyncoperation") ?? "")).body).toMatchObject({ status: "Succeeded" });
    expect(await powerOf(path)).toContain(`PowerState/${power}`);
    expect((await send("POST", `${path}/${action}`)).status).toBe(202);
    expect(await powerOf(path)).toContain(`PowerState/${power}`);
  }
});

test("M149 capacity and quota errors have Azure's codes", async () => {
  const path = await createMachine(send);
  azure.advance(waitMs);
  await send("DELETE", path);
  azure.advance(waitMs);
  await changeConditions(azure.inventory, "a", { fullZones: [`${location}-1`] });
  await createMachine(send);
  expect(await azure.inventory.list("a", "azurerm_linux_virtual_machine")).toEqual([]);
  const { body } = await send("GET", `${network}/networkInterfaces/vm-nic`);
  const request = machineBody(textOf(body["id"]), "vm");
  expect(await send("PUT", path, { body: request })).toMatchObject({ status: 409, code: "ZonalAllocationFailed" });
  await changeConditions(azure.inventory, "a", { fullZones: [], quotas: { "vcpus-per-region": 3 } });
  expect(await send("PUT", path, { body: request })).toMatchObject({ status: 409, code: "OperationNotAllowed" });
});

test("M163 the console log can be read only through the machine's link, which expires", async () => {
  const path = await createMachine(send);
  azure.advance(waitMs);
  const { body } = await send("POST", `${path}/retrieveBootDiagnosticsData?sasUriExpirationTimeInMinutes=5`);
  const link = textOf(body["serialConsoleLogBlobUri"]);
  expect(await (await fetch(link)).text()).toContain("vm login:");
  expect((await fetch(link.replace(/bootdiagnostics\/./, "bootdiagnostics/_"))).status).toBe(401);
  azure.shift(301_000);
  expect((await fetch(link)).status).toBe(401);
});

test("M163 Terraform sees what the API changed in its machine, and the API sees Terraform's machine", async () => {
  const terraform = callProvider(azureProvider, { inventory: azure.inventory });
  const place = { location, resource_group_name: "rg" };
  const make = async (type: string, config: Parameters<typeof terraform.create>[1]) => {
    const { state, said } = await terraform.create(type, config);
    expect(said).toEqual([]);
    return state ?? {};
  };
  await make("azurerm_virtual_network", { name: "net", ...place, address_space: ["10.0.0.0/16"] });
  const inside = { resource_group_name: "rg", virtual_network_name: "net", address_prefixes: ["10.0.0.0/24"] };
  const subnet = await make("azurerm_subnet", { name: "one", ...inside });
  const configuration = { name: "main", private_ip_address_allocation: "Dynamic", subnet_id: textOf(subnet["id"]) };
  const card = await make("azurerm_network_interface", { name: "nic", ...place, ip_configuration: [configuration] });
  const machine = await make("azurerm_linux_virtual_machine", {
    name: "vm",
    ...place,
    size: "Standard_D4s_v5",
    admin_username: "azureuser",
    network_interface_ids: [textOf(card["id"])],
    os_disk: [{ caching: "ReadWrite", storage_account_type: "Premium_LRS" }],
    source_image_reference: [{ publisher: "Canonical", offer: "ubuntu-24_04-lts", sku: "server", version: "latest" }],
    tags: { by: "terraform" },
  });
  expect(textOf(machine["private_ip_address"])).toMatch(/^10\.0\.0\./);
  const path = "~/providers/Microsoft.Compute/virtualMachines/vm";
  expect((await send("GET", path)).body).toMatchObject({ name: "vm", tags: { by: "terraform" } });
  await send("POST", `${path}/deallocate`);
  azure.advance(waitMs);
  expect(await powerOf(path)).toContain("PowerState/deallocated");
  await send("PATCH", path, { body: { tags: { by: "hand" }, properties: { hardwareProfile: { vmSize: "Standard_D2s_v5" } } } });
  azure.advance(waitMs);
  const { state } = await terraform.read("azurerm_linux_virtual_machine", machine);
  expect(state).toMatchObject({ size: "Standard_D2s_v5", tags: { by: "hand" } });
  expect((await terraform.remove("azurerm_linux_virtual_machine", state ?? {})).said).toEqual([]);
  expect(await azure.inventory.list("a", "azurerm_managed_disk")).toEqual([]);
  expect((await terraform.remove("azurerm_network_interface", card)).said).toEqual([]);
});
