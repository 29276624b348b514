import type { CloudProvider } from "../cloud-provider.ts";
import { createEmptyProvider } from "../not-implemented.ts";

/** Creates the provider for machines that the user operates. It has no capabilities yet, so every call throws `clouds.not_implemented`. */
export function createLocalProvider(): CloudProvider {
  return createEmptyProvider("local");
}
