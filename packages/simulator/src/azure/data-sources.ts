import type { DataSourceHooks, HookContext } from "../provider/definition.ts";
import { textOf } from "../values/read-value.ts";
import type { ValueMap } from "../values/value.ts";
import { guid, subscriptionOf } from "./place.ts";
import { describeId } from "./refusal.ts";
import { defaultVersion, findVersion, offeredVersions } from "./aks/versions.ts";

/** The data sources that the Azure simulator supports, keyed by type name. */
export const dataSources: Readonly<Record<string, DataSourceHooks>> = {
  azurerm_client_config: {
    read: (_config, context) => ({
      id: guid(`client ${context.tenant}`),
      client_id: guid(`client ${context.tenant}`),
      object_id: guid(`object ${context.tenant}`),
      subscription_id: subscriptionOf(context),
      tenant_id: guid(`tenant ${context.tenant}`),
    }),
  },
  azurerm_subscription: {
    read: (_config, context) => ({
      id: `/subscriptions/${subscriptionOf(context)}`,
      subscription_id: subscriptionOf(context),
      display_name: "Simulated",
      state: "Enabled",
      tenant_id: guid(`tenant ${context.tenant}`),
      tags: {},
    }),
  },
  azurerm_resource_group: {
    read: async (config, context) => {
      const id = `/subscriptions/${subscriptionOf(context)}/resourceGroups/${textOf(config["name"])}`;
      const found = await context.find({ type: "azurerm_resource_group", id });
      return found?.attributes ?? [{ summary: `Resource Group "${textOf(config["name"])}" was not found` }];
    },
  },
  azurerm_virtual_network: {
    read: async (config, context) => {
      const id = `${networkOf(config, context)}/virtualNetworks/${textOf(config["name"])}`;
      const found = await context.find({ type: "azurerm_virtual_network", id });
      if (found === undefined) return [{ summary: `${describeId("Virtual Network", id)} was not found` }];
      const subnets = (await context.list("azurerm_subnet")).filter((subnet) => subnet.id.startsWith(`${id}/subnets/`));
      const { address_space, dns_servers, guid: networkGuid, location, tags } = found.attributes;
      return {
        ...config,
        id,
        address_space: address_space ?? [],
        dns_servers: dns_servers ?? [],
        guid: networkGuid ?? "",
        location: location ?? "",
        tags: tags ?? {},
        subnets: subnets.map((subnet) => subnet.id.split("/").at(-1) ?? ""),
        vnet_peerings: {},
        vnet_peerings_addresses: [],
      };
    },
  },
  azurerm_subnet: {
    read: async (config, context) => {
      const id = `${networkOf(config, context)}/virtualNetworks/${textOf(config["virtual_network_name"])}/subnets/${textOf(config["name"])}`;
      const found = await context.find({ type: "azurerm_subnet", id });
      if (found === undefined) return [{ summary: `${describeId("Subnet", id)} was not found` }];
      const { attributes } = found;
      const prefixes = Array.isArray(attributes["address_prefixes"]) ? attributes["address_prefixes"] : [];
      return {
        ...config,
        id,
        address_prefix: prefixes[0] ?? "",
        address_prefixes: prefixes,
        default_outbound_access_enabled: attributes["default_outbound_access_enabled"] ?? true,
        network_security_group_id: attributes["network_security_group_id"] ?? "",
        private_endpoint_network_policies: attributes["private_endpoint_network_policies"] ?? "Disabled",
        private_link_service_network_policies_enabled: attributes["private_link_service_network_policies_enabled"] ?? true,
        route_table_id: attributes["route_table_id"] ?? "",
        service_endpoint: attributes["service_endpoint"] ?? [],
      };
    },
  },
  azurerm_user_assigned_identity: {
    read: async (config, context) => {
      const group = `/subscriptions/${subscriptionOf(context)}/resourceGroups/${textOf(config["resource_group_name"])}`;
      const id = `${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${textOf(config["name"])}`;
      const found = await context.find({ type: "azurerm_user_assigned_identity", id });
      if (found === undefined) return [{ summary: `${describeId("User Assigned Identity", id)} was not found` }];
      const { client_id, principal_id, location, tags, tenant_id } = found.attributes;
      return {
        ...config,
        id,
        client_id: client_id ?? "",
        principal_id: principal_id ?? "",
        location: location ?? "",
        isolation_scope: "",
        tags: tags ?? {},
        tenant_id: tenant_id ?? "",
      };
    },
  },
  azurerm_kubernetes_service_versions: {
    read: (config) => {
      const prefix = typeof config["version_prefix"] === "string" ? config["version_prefix"] : "";
      const versions = offeredVersions.map(({ patch }) => patch).filter((version) => version.startsWith(prefix));
      const usual = findVersion(defaultVersion)?.patch ?? "";
      return {
        id: textOf(config["location"]),
        versions,
        latest_version: versions.at(-1) ?? "",
        default_version: versions.includes(usual) ? usual : (versions.at(-1) ?? ""),
      };
    },
  },
};

function networkOf(config: ValueMap, context: HookContext): string {
  const group = `/subscriptions/${subscriptionOf(context)}/resourceGroups/${textOf(config["resource_group_name"])}`;
  return `${group}/providers/Microsoft.Network`;
}
