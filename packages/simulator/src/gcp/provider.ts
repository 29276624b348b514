import type { DescribeClusterApi } from "../cloud/cluster-api.ts";
import type { ProviderDefinition } from "../provider/definition.ts";
import { createLazyDefinition } from "../provider/lazy-definition.ts";
import { parseSchema } from "../schema/compact-schema.ts";
import type { ProviderSchema } from "../schema/schema.ts";
import { dataSources } from "./data-sources.ts";
import { checkRegion } from "./place.ts";
import { createResources } from "./resources.ts";
import schemaFile from "./schema.json" with { type: "json" };

export interface GcpOptions {
  /** Returns the endpoint and CA certificate of a cluster's API. If omitted, clusters get endpoints that are not reachable. */
  readonly describeClusterApi?: DescribeClusterApi;
}

/** Creates the simulated Google Cloud provider. Its ids, links and error messages look like the real ones. */
export function createGcpProvider({ describeClusterApi }: GcpOptions = {}): ProviderDefinition {
  return createLazyDefinition("google", () => describeGcp(describeClusterApi));
}

/** The simulated Google Cloud provider. The APIs of its clusters are not reachable. */
export const gcpProvider: ProviderDefinition = createGcpProvider();

// Parsing the schema takes several milliseconds, so it is parsed once and shared.
let schema: ProviderSchema | undefined;

function describeGcp(describeClusterApi: DescribeClusterApi | undefined): Omit<ProviderDefinition, "name"> {
  schema ??= parseSchema(schemaFile);
  return {
    schema,
    legacyTypeSystem: true,
    resources: createResources(schema, describeClusterApi),
    dataSources,
    validate: ({ region }) => (typeof region === "string" && region !== "" ? checkRegion(region) : []),
    throttled: (operation, type) => {
      const message = `Quota exceeded for quota metric 'Queries' (${operation} of ${type})`;
      return {
        summary: `Error: googleapi: Error 429: ${message}, rateLimitExceeded`,
        refusal: { code: "rateLimitExceeded", message, status: 429 },
      };
    },
  };
}
