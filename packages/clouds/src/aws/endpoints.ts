/** Addresses in place of AWS's own, by the variables that its SDKs read: `AWS_ENDPOINT_URL`, `AWS_ENDPOINT_URL_STS`. */
export type AwsEndpoints = Readonly<Record<string, string>>;

/** The address of a service, by the id that the variables use: `sts`, `elastic_load_balancing_v2`; undefined for AWS's own. */
export function endpointFor(endpoints: AwsEndpoints, service: string): string | undefined {
  return endpoints[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] ?? endpoints["AWS_ENDPOINT_URL"];
}
