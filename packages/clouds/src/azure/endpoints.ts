import { trimEnd } from "@cloudwright/platform/trim-end";

/**
 * Endpoint overrides, keyed by environment variables: `AZURE_AUTHORITY_HOST` (the variable of the Azure SDKs),
 * `AZURE_RESOURCE_MANAGER_ENDPOINT`, `AZURE_STORAGE_ENDPOINT` and `AZURE_CHECKIP_ENDPOINT`. Sovereign clouds need the first two.
 */
export type AzureEndpoints = Readonly<Record<string, string>>;

const publicAuthority = "https://login.microsoftonline.com";
const publicManagement = "https://management.azure.com";

/** Returns the address that issues tokens, and whether it differs from that of the public cloud. */
export function authorityOf(endpoints: AzureEndpoints): { readonly address: string; readonly isCustom: boolean } {
  const address = trimEnd(endpoints["AZURE_AUTHORITY_HOST"] ?? publicAuthority, "/");
  return { address, isCustom: address !== publicAuthority };
}

/** Returns the address of Azure Resource Manager. The address is also the audience of tokens for Azure Resource Manager. */
export function managementOf(endpoints: AzureEndpoints): string {
  return trimEnd(endpoints["AZURE_RESOURCE_MANAGER_ENDPOINT"] ?? publicManagement, "/");
}

/** Returns the scope of tokens for Azure Resource Manager. */
export function managementScope(endpoints: AzureEndpoints): string {
  return `${managementOf(endpoints)}/.default`;
}

/** Returns the address of a storage account's blobs. An override has one address for all accounts, with the account's name in the path. */
export function blobsOf(endpoints: AzureEndpoints, account: string): string {
  const override = endpoints["AZURE_STORAGE_ENDPOINT"];
  return override === undefined ? `https://${account}.blob.core.windows.net` : `${trimEnd(override, "/")}/${account}`;
}
