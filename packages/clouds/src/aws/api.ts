import type { ElasticLoadBalancingClient } from "@aws-sdk/client-elastic-load-balancing";
import type { ElasticLoadBalancingV2Client } from "@aws-sdk/client-elastic-load-balancing-v2";
import type { ResourceGroupsTaggingAPIClient } from "@aws-sdk/client-resource-groups-tagging-api";
import type { S3Client } from "@aws-sdk/client-s3";
import type { ServiceQuotasClient } from "@aws-sdk/client-service-quotas";
import { createCoreClients, createRegionApi, type AwsApiOptions, type CoreClients, type RegionApi } from "./core-api.ts";
import type { CredentialSource } from "./credentials.ts";

/** SDK clients for one account and region. Each client is loaded and created on first use. */
export interface AwsClients extends CoreClients {
  s3(): Promise<S3Client>;
  quotas(): Promise<ServiceQuotasClient>;
  loadBalancing(): Promise<ElasticLoadBalancingV2Client>;
  /** Classic load balancers, which clusters create when the AWS Load Balancer Controller is not installed. */
  classicLoadBalancing(): Promise<ElasticLoadBalancingClient>;
  tagging(): Promise<ResourceGroupsTaggingAPIClient>;
}

/** The API calls that the platform makes in one region. */
export type AwsApi = RegionApi<AwsClients>;

/** Creates the API for one region of an account. The SDK is loaded on the first call. */
export function createAwsApi(source: CredentialSource, options: AwsApiOptions): AwsApi {
  return createRegionApi(source, options, (once) => ({
    ...createCoreClients(once),
    s3: once("s3", async (common) => new (await import("@aws-sdk/client-s3")).S3Client(common)),
    quotas: once(
      "service_quotas",
      async (common) => new (await import("@aws-sdk/client-service-quotas")).ServiceQuotasClient(common),
    ),
    loadBalancing: once(
      "elastic_load_balancing_v2",
      async (common) => new (await import("@aws-sdk/client-elastic-load-balancing-v2")).ElasticLoadBalancingV2Client(common),
    ),
    classicLoadBalancing: once(
      "elastic_load_balancing",
      async (common) => new (await import("@aws-sdk/client-elastic-load-balancing")).ElasticLoadBalancingClient(common),
    ),
    tagging: once(
      "resource_groups_tagging_api",
      async (common) => new (await import("@aws-sdk/client-resource-groups-tagging-api")).ResourceGroupsTaggingAPIClient(common),
    ),
  }));
}
