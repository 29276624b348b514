import type { ProviderDefinition } from "../provider/definition.ts";
import { createLazyDefinition } from "../provider/lazy-definition.ts";
import { parseSchema } from "../schema/compact-schema.ts";
import { dataSources } from "./data-sources.ts";
import { createResources } from "./resources.ts";
import schemaFile from "./schema.json" with { type: "json" };

/** The simulated Azure provider. Ids look like the real ones; other attributes keep the values they are given. */
export const azureProvider: ProviderDefinition = createLazyDefinition("azurerm", describeAzure);

function describeAzure(): Omit<ProviderDefinition, "name"> {
  const schema = parseSchema(schemaFile);
  return {
    schema,
    legacyTypeSystem: true,
    resources: createResources(schema),
    dataSources,
    throttled: (operation, type) => ({
      summary: `${operation} of ${type}: unexpected status 429 (429 Too Many Requests) with error: TooManyRequests: The request was throttled.`,
    }),
  };
}
