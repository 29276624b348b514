import { Secret } from "@cloudwright/platform";
import { createMemoryFaults, createMemoryInventory, type Inventory, type SimulatedFaultControl } from "@cloudwright/simulator";
import { startApiHost } from "@cloudwright/simulator/testing";
import { shortWaits } from "../../testing/library-contract.ts";
import type { AzureLibraryOptions } from "../library/options.ts";

/** A simulated subscription with a resource group, a network and a subnet. Its API is served over HTTPS. */
export interface SimulatedAzure {
  readonly inventory: Inventory;
  readonly faults: SimulatedFaultControl;
  readonly tenant: string;
  /** ARM IDs of the resource group and of the subnet. */
  readonly groupId: string;
  readonly subnetId: string;
  /** Library options that connect to this subscription. */
  readonly options: AzureLibraryOptions & { readonly clientSecret: string };
  close(): Promise<void>;
}

export const simulatedGroup = "my-rg";
export const simulatedLocation = "eastus";

/** Starts a simulated subscription. Operations and waits are short. */
export async function startSimulatedAzure(): Promise<SimulatedAzure> {
  const [tenant, resourceGroup, location] = ["contract", simulatedGroup, simulatedLocation];
  const [inventory, faults] = [createMemoryInventory(), createMemoryFaults()];
  const host = await startApiHost({ inventory, faults, secret: new Secret("test"), listen: { port: 0 } });
  const { environment } = await host.issue(tenant, "azure", { region: location });
  const given = (name: string): string => environment[name] ?? "";
  const groupId = `/subscriptions/${given("AZURE_SUBSCRIPTION_ID")}/resourceGroups/${resourceGroup}`;
  const network = `${groupId}/providers/Microsoft.Network/virtualNetworks/my-network`;
  const subnetId = `${network}/subnets/my-subnet`;
  const put = (type: string, id: string, attributes: Record<string, string | string[]>): Promise<void> =>
    inventory.put(tenant, { type, id, attributes: { id, resource_group_name: resourceGroup, ...attributes } });
  await put("azurerm_resource_group", groupId, { name: resourceGroup, location });
  await put("azurerm_virtual_network", network, { name: "my-network", location, address_space: ["10.9.0.0/16"] });
  const within = { name: "my-subnet", virtual_network_name: "my-network" };
  await put("azurerm_subnet", subnetId, { ...within, address_prefixes: ["10.9.0.0/24"] });
  const options = {
    subscriptionId: given("AZURE_SUBSCRIPTION_ID"),
    resourceGroup,
    location,
    tenantId: given("AZURE_TENANT_ID"),
    clientId: given("AZURE_CLIENT_ID"),
    clientSecret: given("AZURE_CLIENT_SECRET"),
    endpoints: { resourceManager: host.secureAddress, authority: host.secureAddress },
    caPem: host.caPem,
    clock: shortWaits,
  };
  return { inventory, faults, tenant, groupId, subnetId, options, close: () => host.close() };
}
