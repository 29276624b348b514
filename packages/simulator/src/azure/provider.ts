import type { DescribeClusterApi } from "../cloud/cluster-api.ts";
import type { ProviderDefinition } from "../provider/definition.ts";
import { createLazyDefinition } from "../provider/lazy-definition.ts";
import { parseSchema } from "../schema/compact-schema.ts";
import { dataSources } from "./data-sources.ts";
import { createResources } from "./resources.ts";
import schemaFile from "./schema.json" with { type: "json" };

export interface AzureOptions {
  /** Returns the address of a cluster's API. Without this function, the addresses of clusters are not reachable. */
  readonly describeClusterApi?: DescribeClusterApi;
}

/** Creates the simulated Azure provider. */
export function createAzureProvider({ describeClusterApi }: AzureOptions = {}): ProviderDefinition {
  return createLazyDefinition("azurerm", () => describeAzure(describeClusterApi));
}

/** The simulated Azure provider. The APIs of its clusters are not reachable. */
export const azureProvider: ProviderDefinition = createAzureProvider();

function describeAzure(describeClusterApi: DescribeClusterApi | undefined): Omit<ProviderDefinition, "name"> {
  const schema = parseSchema(schemaFile);
  return {
    schema,
    legacyTypeSystem: true,
    resources: createResources(schema, describeClusterApi),
    dataSources,
    throttled: (operation, type) => ({
      summary: `${operation} of ${type}: unexpected status 429 (429 Too Many Requests) with error: TooManyRequests: The request was throttled.`,
    }),
  };
}
