import { expect, test } from "vitest";
import { textOf } from "../values/read-value.ts";
import { callProvider } from "../testing/call-provider.ts";
import { azureProvider } from "./provider.ts";

test("Azure resources require an existing resource group, which can only be deleted when it is empty", async () => {
  const azure = callProvider(azureProvider);
  const place = { resource_group_name: "main", location: "westeurope" };
  const wanted = { name: "net", ...place, address_space: ["10.0.0.0/16"] };
  expect((await azure.create("azurerm_virtual_network", wanted)).said).toEqual([
    expect.stringContaining("ResourceGroupNotFound"),
  ]);
  const group = (await azure.create("azurerm_resource_group", { name: "main", location: "westeurope" })).state ?? {};
  const network = (await azure.create("azurerm_virtual_network", wanted)).state ?? {};
  expect(network["id"]).toBe(`${textOf(group["id"])}/providers/Microsoft.Network/virtualNetworks/net`);
  expect((await azure.create("azurerm_virtual_network", wanted)).said).toEqual([expect.stringContaining("already exists")]);
  expect((await azure.update("azurerm_virtual_network", network, { ...wanted, location: "northeurope" })).replaced).toEqual([
    "location",
  ]);
  const nowhere = { name: "far", location: "atlantis" };
  expect((await azure.create("azurerm_resource_group", nowhere)).said).toEqual([expect.stringContaining("LocationNotAvailable")]);
  expect((await azure.remove("azurerm_resource_group", group)).said).toEqual([
    expect.stringContaining("still contains Resources"),
  ]);
  expect((await azure.remove("azurerm_virtual_network", network)).said).toEqual([]);
  expect((await azure.remove("azurerm_resource_group", group)).said).toEqual([]);
  expect(await azure.inventory.list("a")).toEqual([]);
});
