import type { CloudProvider } from "../cloud-provider.ts";
import { createEmptyProvider } from "../not-implemented.ts";

/** Creates the Azure provider. It has no capabilities yet, so every call throws `clouds.not_implemented`. */
export function createAzureProvider(): CloudProvider {
  return createEmptyProvider("azure");
}
