import type { CloudProvider } from "../cloud-provider.ts";
import { createEmptyProvider } from "../not-implemented.ts";

/** Builds the provider of Google Cloud. No capability is implemented yet; each one says so when it is used. */
export function createGcpProvider(): CloudProvider {
  return createEmptyProvider("gcp");
}
