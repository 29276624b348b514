import type { CloudName } from "@cloudwright/contract/clouds";
import { createAwsProvider } from "./aws/provider.ts";
import { createAzureProvider } from "./azure/provider.ts";
import type { CloudProvider, ProviderOptions } from "./cloud-provider.ts";
import { createGcpProvider } from "./gcp/provider.ts";
import { createLocalProvider } from "./local/provider.ts";

const registry: Readonly<Record<CloudName, (options: ProviderOptions) => CloudProvider>> = {
  aws: createAwsProvider,
  gcp: createGcpProvider,
  azure: createAzureProvider,
  local: createLocalProvider,
};

/** Creates the provider for a cloud's real accounts. SDKs are loaded on first use. */
export function createProvider(cloud: CloudName, options: ProviderOptions = { endpoints: {} }): CloudProvider {
  return registry[cloud](options);
}
