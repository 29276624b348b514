import type { CloudName } from "@cloudwright/contract/clouds";
import type { ApiService } from "./api/api-service.ts";
import { awsApi } from "./aws/api/aws-api.ts";
import { openAwsAccount } from "./aws/account/account.ts";
import { createAwsProvider } from "./aws/provider.ts";
import { azureApi } from "./azure/api/azure-api.ts";
import { openAzureAccount } from "./azure/account/account.ts";
import { createAzureProvider } from "./azure/provider.ts";
import type { SimulatedCloud } from "./cloud/simulated-cloud.ts";
import { openGcpAccount } from "./gcp/account/account.ts";
import { gcpApi } from "./gcp/api/gcp-api.ts";
import { createGcpProvider } from "./gcp/provider.ts";
import type { WireClusters } from "./inventory/wire-clusters.ts";
import type { ProviderDefinition } from "./provider/definition.ts";

const registry: Readonly<Partial<Record<CloudName, SimulatedCloud>>> = {
  aws: { createTerraformProvider: createAwsProvider, openAccount: openAwsAccount, api: awsApi },
  gcp: { createTerraformProvider: createGcpProvider, openAccount: openGcpAccount, api: gcpApi },
  azure: { createTerraformProvider: createAzureProvider, openAccount: openAzureAccount, api: azureApi },
};

/** Returns the simulation of a cloud, or undefined if the cloud is not simulated. */
export function findSimulatedCloud(cloud: string): SimulatedCloud | undefined {
  return Object.hasOwn(registry, cloud) ? registry[cloud as CloudName] : undefined;
}

/** The simulated API of one cloud and the definition of how its resources behave. */
export interface SimulatedApi {
  readonly cloud: string;
  readonly service: ApiService;
  readonly provider: ProviderDefinition;
}

/** Returns the simulated APIs of all clouds, in the order in which they are matched against a request. */
export function listSimulatedApis(clusters?: Pick<WireClusters, "describeClusterApi">): readonly SimulatedApi[] {
  return Object.entries(registry).flatMap(([cloud, { api: service, createTerraformProvider }]) =>
    service === undefined ? [] : [{ cloud, service, provider: createTerraformProvider(clusters) }],
  );
}
