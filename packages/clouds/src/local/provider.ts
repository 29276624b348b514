import type { CloudProvider } from "../cloud-provider.ts";
import { createEmptyProvider } from "../not-implemented.ts";

/** Builds the provider of machines that the user runs. No capability is implemented yet; each one says so when it is used. */
export function createLocalProvider(): CloudProvider {
  return createEmptyProvider("local");
}
