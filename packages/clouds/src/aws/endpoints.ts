/** Endpoint overrides, keyed by the environment variables of the AWS SDKs: `AWS_ENDPOINT_URL`, `AWS_ENDPOINT_URL_STS`. */
export type AwsEndpoints = Readonly<Record<string, string>>;

/**
 * Returns the endpoint override for a service. Services are named as in the environment variables, for example `sts` or
 * `elastic_load_balancing_v2`.
 */
export function endpointFor(endpoints: AwsEndpoints, service: string): string | undefined {
  return endpoints[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] ?? endpoints["AWS_ENDPOINT_URL"];
}

/** Returns the domain of AWS endpoints in a region. */
export function suffixOf(region: string): string {
  return region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}
