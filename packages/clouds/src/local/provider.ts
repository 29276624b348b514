import type { CloudProvider } from "../cloud-provider.ts";
import { createEmptyProvider } from "../not-implemented.ts";

/**
 * Creates the provider for machines that the user operates, for processes that do not run on such a machine. It has no capabilities, so
 * every call throws `clouds.not_implemented`. The agent on the machine has a provider of its own.
 */
export function createLocalProvider(): CloudProvider {
  return createEmptyProvider("local");
}
