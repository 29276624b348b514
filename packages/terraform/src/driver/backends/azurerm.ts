import type { Secret } from "@cloudwright/platform";
import { requireSetting, type Backend } from "./backend.ts";

/** State in an Azure blob storage container, which provides locking. */
export interface AzurermBackendSettings {
  readonly storageAccount: string;
  readonly container: string;
  readonly key: string;
  readonly resourceGroup?: string;
  readonly subscriptionId?: string;
  /** Set `accessKey`, `sasToken` or neither. Default: the run's own identity. */
  readonly accessKey?: Secret;
  readonly sasToken?: Secret;
  readonly environment?: "public" | "usgovernment" | "china";
}

export function createAzurermBackend(state: AzurermBackendSettings): Backend {
  const { storageAccount, container, key, resourceGroup, subscriptionId, accessKey, sasToken, environment } = state;
  requireSetting("storageAccount", storageAccount, /^[a-z0-9]{3,24}$/, "mystates");
  requireSetting("container", container, /^[a-z0-9](-?[a-z0-9]){2,62}$/, "states");
  requireSetting("key", key, /^(?!.*(^|\/)\.{1,2}(\/|$))[\w.-]+(\/[\w.-]+)*$/, "networks/main.tfstate");
  if (resourceGroup !== undefined) requireSetting("resourceGroup", resourceGroup, /^[\w().-]{1,90}$/, "states");
  if (subscriptionId !== undefined) {
    requireSetting(
      "subscriptionId",
      subscriptionId,
      /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
      "00000000-0000-0000-0000-000000000000",
    );
  }
  if (environment !== undefined) requireSetting("environment", environment, /^(public|usgovernment|china)$/, "public");
  const isByIdentity = accessKey === undefined && sasToken === undefined;
  return {
    type: "azurerm",
    settings: {
      storage_account_name: storageAccount,
      container_name: container,
      key,
      ...(isByIdentity ? { use_azuread_auth: true } : {}),
      ...(resourceGroup === undefined ? {} : { resource_group_name: resourceGroup }),
      ...(subscriptionId === undefined ? {} : { subscription_id: subscriptionId }),
      ...(environment === undefined ? {} : { environment }),
    },
    secretEnvironment: {
      ...(accessKey === undefined ? {} : { ARM_ACCESS_KEY: accessKey }),
      ...(sasToken === undefined ? {} : { ARM_SAS_TOKEN: sasToken }),
    },
  };
}
