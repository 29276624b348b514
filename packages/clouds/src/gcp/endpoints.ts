import { trimEnd } from "@cloudwright/platform/trim-end";
/**
 * Endpoint overrides, keyed by the environment variables of the Terraform provider, such as `GOOGLE_COMPUTE_CUSTOM_ENDPOINT`. A value
 * includes the API's version, as in `https://compute.googleapis.com/compute/v1/`.
 */
export type GcpEndpoints = Readonly<Record<string, string>>;

/** Base URLs of the services, keyed by the service names used in the environment variables. */
const services = {
  compute: "https://compute.googleapis.com/compute/v1/",
  container: "https://container.googleapis.com/v1/",
  storage: "https://storage.googleapis.com/storage/v1/",
  resource_manager: "https://cloudresourcemanager.googleapis.com/v1/",
  service_usage: "https://serviceusage.googleapis.com/v1/",
  iam_beta: "https://iam.googleapis.com/v1/",
  kms: "https://cloudkms.googleapis.com/v1/",
  logging: "https://logging.googleapis.com/v2/",
  iam_credentials: "https://iamcredentials.googleapis.com/v1/",
  sts: "https://sts.googleapis.com/v1/",
  oauth2: "https://oauth2.googleapis.com/",
  // Google Cloud has no public service that returns the caller's address.
  checkip: "https://checkip.amazonaws.com/",
} as const;

export type GcpService = keyof typeof services;

/** Returns the base address of a service. It ends with a slash. */
export function endpointFor(endpoints: GcpEndpoints, service: GcpService): string {
  const address = endpoints[`GOOGLE_${service.toUpperCase()}_CUSTOM_ENDPOINT`] ?? services[service];
  return address.endsWith("/") || service === "checkip" ? address : `${address}/`;
}

/**
 * Adds the path of a service to an override that does not end with the API's version, so that `https://gateway` works like
 * `https://gateway/compute/v1/`. Returns undefined if the override is not an HTTP address.
 */
export function completeEndpoint(service: GcpService, address: string): string | undefined {
  if (!/^https?:/.test(address) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  const own = new URL(services[service]).pathname;
  const given = `${trimEnd(url.pathname, "/")}/`;
  if (own === "/" || /\/v\d\w*\/$/.test(given)) return url.origin + given;
  const prefix = own.replace(/v\d+\/$/, "");
  return url.origin + (given.endsWith(prefix) ? given.slice(0, -prefix.length) : given.slice(0, -1)) + own;
}

/** Applies the endpoint overrides to an address that is built into Google's authentication library. */
export function redirect(endpoints: GcpEndpoints, url: URL): URL {
  for (const service of ["oauth2", "iam_credentials"] as const) {
    const own = services[service];
    if (url.href.startsWith(own)) return new URL(endpointFor(endpoints, service) + url.href.slice(own.length));
  }
  return url;
}

/** Returns whether an address belongs to an overridden endpoint that uses TLS. */
export function isOverridden(endpoints: GcpEndpoints, { protocol, origin }: URL): boolean {
  return protocol === "https:" && Object.values(endpoints).some((endpoint) => new URL(endpoint).origin === origin);
}
