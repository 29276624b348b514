import type { CloudProvider } from "../cloud-provider.ts";
import { createEmptyProvider } from "../not-implemented.ts";

/** Creates the Google Cloud provider. It has no capabilities yet, so every call throws `clouds.not_implemented`. */
export function createGcpProvider(): CloudProvider {
  return createEmptyProvider("gcp");
}
