import type { ProviderDefinition } from "../provider/definition.ts";
import { createLazyDefinition } from "../provider/lazy-definition.ts";
import { parseSchema } from "../schema/compact-schema.ts";
import { dataSources } from "./data-sources.ts";
import { checkRegion } from "./place.ts";
import { createResources } from "./resources.ts";
import schemaFile from "./schema.json" with { type: "json" };

/** The simulated GCP provider. Ids and links look like the real ones; other attributes keep their configured values. */
export const gcpProvider: ProviderDefinition = createLazyDefinition("google", describeGcp);

function describeGcp(): Omit<ProviderDefinition, "name"> {
  const schema = parseSchema(schemaFile);
  return {
    schema,
    legacyTypeSystem: true,
    resources: createResources(schema),
    dataSources,
    validate: ({ region }) => (typeof region === "string" && region !== "" ? checkRegion(region) : []),
    throttled: (operation, type) => ({
      summary: `Error: googleapi: Error 429: Quota exceeded for quota metric 'Queries' (${operation} of ${type}), rateLimitExceeded`,
    }),
  };
}
