import type { DescribeClusterApi } from "../cloud/cluster-api.ts";
import type { ProviderDefinition } from "../provider/definition.ts";
import { createLazyDefinition } from "../provider/lazy-definition.ts";
import { parseSchema } from "../schema/compact-schema.ts";
import { dataSources } from "./data-sources.ts";
import { createResources } from "./resources.ts";
import moreTypes from "./more-types.json" with { type: "json" };
import schemaFile from "./schema.json" with { type: "json" };

export interface AzureOptions {
  /** Returns the endpoint and CA certificate of a cluster's API. If omitted, clusters get endpoints that are not reachable. */
  readonly describeClusterApi?: DescribeClusterApi;
}

/** Creates the simulated Azure provider. */
export function createAzureProvider({ describeClusterApi }: AzureOptions = {}): ProviderDefinition {
  return createLazyDefinition("azurerm", () => describeAzure(describeClusterApi));
}

/** The simulated Azure provider. The APIs of its clusters are not reachable. */
export const azureProvider: ProviderDefinition = createAzureProvider();

function describeAzure(describeClusterApi: DescribeClusterApi | undefined): Omit<ProviderDefinition, "name"> {
  // The published schemas lack the types in `moreTypes`. Their schemas were written by hand from the source of provider version 5.2.0.
  const schema = parseSchema({
    provider: schemaFile.provider,
    resources: { ...schemaFile.resources, ...moreTypes.resources },
    dataSources: { ...schemaFile.dataSources, ...moreTypes.dataSources },
  });
  return {
    schema,
    legacyTypeSystem: true,
    resources: createResources(schema, describeClusterApi),
    dataSources,
    throttled: (operation, type) => ({
      summary: `${operation} of ${type}: unexpected status 429 (429 Too Many Requests) with error: TooManyRequests: The request was throttled.`,
      refusal: { code: "TooManyRequests", message: "The request was throttled.", status: 429 },
    }),
  };
}
