/** URLs that replace AWS's own endpoints, by the variables of its SDKs: `AWS_ENDPOINT_URL`, `AWS_ENDPOINT_URL_STS`. */
export type AwsEndpoints = Readonly<Record<string, string>>;

/** Returns the URL that replaces a service's endpoint. Services are named as in the variables: `sts`, `elastic_load_balancing_v2`. */
export function endpointFor(endpoints: AwsEndpoints, service: string): string | undefined {
  return endpoints[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] ?? endpoints["AWS_ENDPOINT_URL"];
}
