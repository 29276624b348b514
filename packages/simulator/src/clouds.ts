import type { CloudName } from "@cloudwright/contract/clouds";
import { openAwsAccount } from "./aws/account/account.ts";
import { createAwsProvider } from "./aws/provider.ts";
import { openAzureAccount } from "./azure/account/account.ts";
import { createAzureProvider } from "./azure/provider.ts";
import type { SimulatedCloud } from "./cloud/simulated-cloud.ts";
import { openGcpAccount } from "./gcp/account/account.ts";
import { createGcpProvider } from "./gcp/provider.ts";

const registry: Readonly<Partial<Record<CloudName, SimulatedCloud>>> = {
  aws: { createTerraformProvider: createAwsProvider, openAccount: openAwsAccount },
  gcp: { createTerraformProvider: createGcpProvider, openAccount: openGcpAccount },
  azure: { createTerraformProvider: createAzureProvider, openAccount: openAzureAccount },
};

/** Returns the simulation of a cloud, or undefined if there is none. */
export function findSimulatedCloud(cloud: string): SimulatedCloud | undefined {
  return Object.hasOwn(registry, cloud) ? registry[cloud as CloudName] : undefined;
}
