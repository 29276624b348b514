import { listRegions } from "../cloud/regions.ts";
import type { Problem, ProviderDefinition, ResourceHooks } from "../provider/definition.ts";
import { createLazyDefinition } from "../provider/lazy-definition.ts";
import { parseSchema } from "../schema/compact-schema.ts";
import type { ProviderSchema } from "../schema/schema.ts";
import type { ValueMap } from "../values/value.ts";
import { createHooks } from "./create-hooks.ts";
import { dataSources } from "./data-sources.ts";
import { addDescriptions } from "./descriptions.ts";
import type { DescribeClusterApi } from "../cloud/cluster-api.ts";
import { createResources } from "./resources.ts";
import schemaFile from "./schema.json" with { type: "json" };

export interface AwsOptions {
  /** Returns the address and the certificate authority of a simulated cluster's API. If omitted, cluster APIs are unreachable. */
  readonly describeClusterApi?: DescribeClusterApi;
}

/** Creates the simulated AWS provider. Its ids, names and error messages look like the real ones. */
export function createAwsProvider(options: AwsOptions = {}): ProviderDefinition {
  return createLazyDefinition("aws", () => describeAws(options));
}

/** The simulated AWS provider without reachable cluster APIs. */
export const awsProvider: ProviderDefinition = createAwsProvider();

// Parsing the schema takes about ten milliseconds, so it is parsed once and shared.
let schema: ProviderSchema | undefined;

function describeAws({ describeClusterApi }: AwsOptions): Omit<ProviderDefinition, "name"> {
  schema ??= parseSchema(addDescriptions(schemaFile));
  const resources = createResources(describeClusterApi);
  const hooks = Object.entries(schema.resources).map(([type, typeSchema]): [string, ResourceHooks] => [
    type,
    createHooks(type, resources, typeSchema),
  ]);
  return {
    schema,
    legacyTypeSystem: true,
    resources: Object.fromEntries(hooks),
    dataSources,
    validate: checkRegion,
    throttled: (_operation, type) => describeThrottling(type),
  };
}

function checkRegion({ region }: ValueMap): readonly Problem[] {
  if (typeof region !== "string" || listRegions("aws").includes(region)) return [];
  return [{ summary: `invalid AWS Region: ${region}`, path: ["region"] }];
}

function describeThrottling(type: string): Problem {
  const isMachines = !/^aws_(iam|eks|s3|kms|sqs|cloudwatch)_/.test(type);
  const refusal = isMachines
    ? { code: "RequestLimitExceeded", message: "Request limit exceeded.", status: 503 }
    : { code: "ThrottlingException", message: "Rate exceeded", status: 400 };
  const { code, message, status } = refusal;
  return {
    summary: `operation error: exceeded maximum number of attempts, https response error StatusCode: ${status}, api error ${code}: ${message}`,
    refusal,
  };
}
