import type { DataSourceHooks } from "../provider/definition.ts";
import { textOf } from "../values/read-value.ts";
import { guid, subscriptionOf } from "./place.ts";
import { defaultVersion, findVersion, offeredVersions } from "./aks/versions.ts";

/** The data sources that the Azure simulator supports, by type name. */
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
