import type { EC2Client } from "@aws-sdk/client-ec2";
import type { EKSClient } from "@aws-sdk/client-eks";
import type { ElasticLoadBalancingClient } from "@aws-sdk/client-elastic-load-balancing";
import type { ElasticLoadBalancingV2Client } from "@aws-sdk/client-elastic-load-balancing-v2";
import type { IAMClient } from "@aws-sdk/client-iam";
import type { ResourceGroupsTaggingAPIClient } from "@aws-sdk/client-resource-groups-tagging-api";
import type { S3Client } from "@aws-sdk/client-s3";
import type { ServiceQuotasClient } from "@aws-sdk/client-service-quotas";
import type { STSClient } from "@aws-sdk/client-sts";
import { revealed, type CredentialSource } from "./credentials.ts";
import { endpointFor, type AwsEndpoints } from "./endpoints.ts";
import { toCloudFault } from "./refusals.ts";

/** SDK clients for one account and region. Each client is loaded and created on first use. */
export interface AwsClients {
  sts(): Promise<STSClient>;
  ec2(): Promise<EC2Client>;
  eks(): Promise<EKSClient>;
  iam(): Promise<IAMClient>;
  s3(): Promise<S3Client>;
  quotas(): Promise<ServiceQuotasClient>;
  loadBalancing(): Promise<ElasticLoadBalancingV2Client>;
  /** Classic load balancers, which clusters create when the AWS Load Balancer Controller is not installed. */
  classicLoadBalancing(): Promise<ElasticLoadBalancingClient>;
  tagging(): Promise<ResourceGroupsTaggingAPIClient>;
}

export interface AwsApi {
  readonly region: string;
  /** Runs `send` and converts errors to faults. `doing` completes the message "AWS could not ...". */
  call<Answer>(doing: string, send: (clients: AwsClients) => Promise<Answer>): Promise<Answer>;
  close(): void;
}

/** Creates the API for one region of an account. The SDK is loaded on the first call. */
export function createAwsApi(source: CredentialSource, options: { region: string; endpoints: AwsEndpoints }): AwsApi {
  const { region, endpoints } = options;
  const made: { destroy(): void }[] = [];
  const once = <Client extends { destroy(): void }>(service: string, make: (common: object) => Promise<Client>) => {
    let client: Promise<Client> | undefined;
    return () =>
      (client ??= (async () => {
        const endpoint = endpointFor(endpoints, service);
        const credentials = async () => revealed(await source.get());
        const built = await make({ region, credentials, maxAttempts: 4, ...(endpoint === undefined ? {} : { endpoint }) });
        made.push(built);
        return built;
      })());
  };
  const clients: AwsClients = {
    sts: once("sts", async (common) => new (await import("@aws-sdk/client-sts")).STSClient(common)),
    ec2: once("ec2", async (common) => new (await import("@aws-sdk/client-ec2")).EC2Client(common)),
    eks: once("eks", async (common) => new (await import("@aws-sdk/client-eks")).EKSClient(common)),
    iam: once("iam", async (common) => new (await import("@aws-sdk/client-iam")).IAMClient(common)),
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
  };
  return {
    region,
    async call(doing, send) {
      try {
        return await send(clients);
      } catch (error) {
        throw toCloudFault(error, doing);
      }
    },
    close() {
      for (const client of made) client.destroy();
    },
  };
}
