import { networkReserved } from "@cloudwright/contract/clouds/azure/reserved-ranges";
import { expect, test } from "vitest";
import { createMemoryInventory } from "../inventory/memory-inventory.ts";
import { callProvider } from "../testing/call-provider.ts";
import { textOf } from "../values/read-value.ts";
import type { ValueMap } from "../values/value.ts";
import { azureProvider } from "./provider.ts";

const place = { resource_group_name: "main", location: "westeurope" };

async function open(location = "westeurope") {
  const azure = callProvider(azureProvider, { inventory: createMemoryInventory() });
  const make = async (type: string, config: ValueMap): Promise<ValueMap> => {
    const { said, state } = await azure.create(type, config);
    expect(said).toEqual([]);
    return state ?? {};
  };
  const refuse = async (type: string, config: ValueMap): Promise<string> => (await azure.create(type, config)).said.join("\n");
  await make("azurerm_resource_group", { name: "main", location });
  return { azure, make, refuse };
}

test("M110 a subnet must fit into its network, must not overlap, and cannot be deleted while it is in use", async () => {
  const { azure, make, refuse } = await open();
  const subnet = { name: "nodes", resource_group_name: "main", virtual_network_name: "net", address_prefixes: ["10.0.0.0/24"] };
  expect(await refuse("azurerm_subnet", subnet)).toContain("ResourceNotFound");
  const net = await make("azurerm_virtual_network", { name: "net", ...place, address_space: ["10.0.0.0/16"] });
  const made = await make("azurerm_subnet", subnet);
  expect(made["id"]).toBe(`${textOf(net["id"])}/subnets/nodes`);
  const other = (change: ValueMap): Promise<string> => refuse("azurerm_subnet", { ...subnet, name: "other", ...change });
  expect(await other({})).toContain("NetcfgSubnetRangesOverlap");
  expect(await other({ address_prefixes: ["10.1.0.0/24"] })).toContain("NetcfgInvalidSubnet");
  expect(await other({ address_prefixes: ["10.0.9.0/30"] })).toContain("NetcfgInvalidSubnet");
  expect(await other({ address_prefixes: ["10.0.9.0/24"], name: "-x" })).toContain("InvalidResourceName");
  const shrunk = await azure.update("azurerm_virtual_network", net, { name: "net", ...place, address_space: ["10.9.0.0/16"] });
  expect(shrunk.said.join()).toContain("InUsePrefixCannotBeDeleted");
  const group = await make("azurerm_network_security_group", { name: "nsg", ...place });
  const association = { subnet_id: textOf(made["id"]), network_security_group_id: textOf(group["id"]) };
  await make("azurerm_subnet_network_security_group_association", association);
  expect((await azure.remove("azurerm_network_security_group", group)).said.join()).toContain(
    "InUseNetworkSecurityGroupCannotBeDeleted",
  );
  expect((await azure.remove("azurerm_subnet", made)).said).toEqual([]);
  expect(await azure.inventory.list("a", "azurerm_subnet_network_security_group_association")).toEqual([]);
});

test("M115 a NAT gateway accepts free addresses of its own kind, which then cannot be deleted", async () => {
  const { azure, make, refuse } = await open();
  const address = (name: string, change: ValueMap = {}): ValueMap => ({ name, ...place, allocation_method: "Static", ...change });
  const gateway = await make("azurerm_nat_gateway", { name: "nat", ...place });
  const standard = await make("azurerm_public_ip", address("one", { zones: ["1", "2", "3"] }));
  const second = await make("azurerm_public_ip", address("two", { sku: "StandardV2" }));
  expect(standard["ip_address"]).toMatch(/^20\.\d+\.\d+\.\d+$/);
  const link = (id: unknown): ValueMap => ({ nat_gateway_id: textOf(gateway["id"]), public_ip_address_id: textOf(id) });
  const type = "azurerm_nat_gateway_public_ip_association";
  expect(await refuse(type, link(second["id"]))).toContain("NatGatewayInvalidPublicIpAddressSku");
  expect(await refuse(type, link(`${textOf(standard["id"])}x`))).toContain("InvalidResourceReference");
  await make(type, link(standard["id"]));
  expect((await azure.remove("azurerm_public_ip", standard)).said.join()).toContain("PublicIPAddressCannotBeDeleted");
  expect(await refuse("azurerm_public_ip", address("three", { zones: ["4"] }))).toContain("InvalidAvailabilityZone");
  expect(await refuse("azurerm_public_ip", address("three", { allocation_method: "Dynamic" }))).toContain("Static");
});

test("M117 rules of a security group have different priorities, and routes different ranges", async () => {
  const { make, refuse } = await open();
  await make("azurerm_network_security_group", { name: "nsg", ...place });
  const rule = {
    name: "a",
    resource_group_name: "main",
    network_security_group_name: "nsg",
    priority: 100,
    direction: "Inbound",
    access: "Allow",
    protocol: "*",
  };
  await make("azurerm_network_security_rule", rule);
  expect(await refuse("azurerm_network_security_rule", { ...rule, name: "b" })).toContain("SecurityRuleConflict");
  expect(await refuse("azurerm_network_security_rule", { ...rule, name: "b", priority: 99 })).toContain(
    "SecurityRuleInvalidPriority",
  );
  await make("azurerm_network_security_rule", { ...rule, name: "b", direction: "Outbound" });
  await make("azurerm_route_table", { name: "table", ...place });
  const route = {
    name: "a",
    resource_group_name: "main",
    route_table_name: "table",
    address_prefix: "10.1.0.0/16",
    next_hop_type: "None",
  };
  await make("azurerm_route", route);
  expect(await refuse("azurerm_route", { ...route, name: "b" })).toContain("RouteConflict");
  const appliance = { ...route, name: "b", address_prefix: "10.2.0.0/16", next_hop_type: "VirtualAppliance" };
  expect(await refuse("azurerm_route", appliance)).toContain("InvalidNextHopIpAddress");
});

test("M137 storage accounts, containers and disks follow Azure's rules", async () => {
  const { azure, make, refuse } = await open();
  const account = { name: "logs1", ...place, account_tier: "Standard", account_replication_type: "ZRS" };
  const made = await make("azurerm_storage_account", account);
  expect(made["primary_blob_host"]).toBe("logs1.blob.core.windows.net");
  await make("azurerm_resource_group", { name: "west", location: "westus" });
  const west = { resource_group_name: "west", location: "westus" };
  expect(await refuse("azurerm_storage_account", { ...account, ...west })).toContain("StorageAccountAlreadyTaken");
  expect(await refuse("azurerm_storage_account", { ...account, ...west, name: "logs2" })).toContain("SkuNotSupported");
  const container = { name: "objects", storage_account_id: textOf(made["id"]) };
  expect(await refuse("azurerm_storage_container", { ...container, container_access_type: "blob" })).toContain(
    "PublicAccessNotPermitted",
  );
  expect(await refuse("azurerm_storage_container", { ...container, name: "Upper" })).toContain("InvalidResourceName");
  const objects = await make("azurerm_storage_container", container);
  const policy = { storage_container_resource_manager_id: textOf(objects["id"]), immutability_period_in_days: 5, locked: true };
  const locked = await make("azurerm_storage_container_immutability_policy", policy);
  expect((await azure.remove("azurerm_storage_container_immutability_policy", locked)).said.join()).toContain("locked");
  const record = { type: "azurerm_storage_container", id: textOf(objects["id"]) };
  await azure.inventory.put("a", { ...record, attributes: { ...objects, object_count: 1 } });
  expect((await azure.remove("azurerm_storage_container", objects)).said.join()).toContain("ContainerImmutabilityPolicyLocked");
  await azure.inventory.put("a", { ...record, attributes: { ...objects, object_count: 0 } });
  expect((await azure.remove("azurerm_storage_container", objects)).said).toEqual([]);
  expect(await azure.inventory.list("a", "azurerm_storage_container_immutability_policy")).toEqual([]);
  const disk = { name: "data", ...place, create_option: "Empty", storage_account_type: "Premium_LRS", disk_size_gb: 10 };
  expect(await refuse("azurerm_managed_disk", { ...disk, zone: "7" })).toContain("InvalidAvailabilityZone");
  expect(await refuse("azurerm_managed_disk", { ...disk, storage_account_type: "UltraSSD_LRS" })).toContain("availability zone");
  const volume = await make("azurerm_managed_disk", { ...disk, zone: "1" });
  expect((await azure.update("azurerm_managed_disk", volume, { ...disk, zone: "1", disk_size_gb: 5 })).said.join()).toContain(
    "ResizeDiskError",
  );
});

test.each(networkReserved)("M119 Azure refuses a virtual network in the reserved range %s", async (reserved) => {
  const { make, refuse } = await open();
  const [first = "", prefix = ""] = reserved.split("/");
  const range = Number(prefix) > 29 ? `${first.replace(/\d+$/, (last) => String(Number(last) & ~7))}/29` : reserved;
  const network = { name: "net", ...place };
  expect(await refuse("azurerm_virtual_network", { ...network, address_space: [range] })).toContain("InvalidAddressPrefix");
  expect(await refuse("azurerm_virtual_network", { ...network, address_space: ["10.0.0.0/16", range] })).toContain(reserved);
  // A virtual network may use the ranges that only AKS reserves.
  await make("azurerm_virtual_network", { ...network, address_space: ["172.31.0.0/16"] });
});
