import type { CloudProvider } from "../cloud-provider.ts";
import { createEmptyProvider } from "../not-implemented.ts";

/** Builds the provider of Azure. No capability is implemented yet; each one says so when it is used. */
export function createAzureProvider(): CloudProvider {
  return createEmptyProvider("azure");
}
