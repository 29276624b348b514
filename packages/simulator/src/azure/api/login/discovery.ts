import type { ApiReply, ApiRequest } from "../../../api/api-service.ts";
import { armHeaders } from "../errors.ts";

/** Answers requests for the metadata of the login endpoint and of the cloud. These requests need no credential. */
export function answerDiscovery({ method, rawPath, origin }: ApiRequest, requestId: string): ApiReply | undefined {
  if (method !== "GET") return undefined;
  const content = describe(rawPath, origin);
  return content === undefined ? undefined : { status: 200, headers: armHeaders(requestId), body: JSON.stringify(content) };
}

function describe(path: string, origin: string): object | undefined {
  if (path.toLowerCase() === "/metadata/endpoints") return describeCloud(origin);
  if (path === "/common/discovery/instance") return describeInstance(origin);
  const tenant = /^\/(?<tenant>[0-9A-Za-z.-]+)(\/v2\.0)?\/\.well-known\/openid-configuration$/.exec(path)?.groups?.["tenant"];
  return tenant === undefined ? undefined : describeLogin(`${origin}/${tenant}`);
}

function describeLogin(authority: string): object {
  return {
    token_endpoint: `${authority}/oauth2/v2.0/token`,
    token_endpoint_auth_methods_supported: ["client_secret_post"],
    authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
    device_authorization_endpoint: `${authority}/oauth2/v2.0/devicecode`,
    jwks_uri: `${authority}/discovery/v2.0/keys`,
    issuer: `${authority}/v2.0`,
    response_modes_supported: ["query"],
    response_types_supported: ["code"],
    scopes_supported: ["openid", "offline_access"],
    subject_types_supported: ["pairwise"],
    id_token_signing_alg_values_supported: ["RS256"],
    claims_supported: ["sub", "iss", "aud", "exp", "iat", "tid"],
    tenant_region_scope: null,
    cloud_instance_name: hostOf(authority),
  };
}

function describeInstance(origin: string): object {
  const host = hostOf(origin);
  return {
    tenant_discovery_endpoint: `${origin}/common/v2.0/.well-known/openid-configuration`,
    "api-version": "1.1",
    metadata: [{ preferred_network: host, preferred_cache: host, aliases: [host] }],
  };
}

function describeCloud(origin: string): object {
  return {
    name: "Simulated",
    resourceManager: `${origin}/`,
    authentication: { loginEndpoint: `${origin}/`, audiences: [`${origin}/`], tenant: "common", identityProvider: "AAD" },
    suffixes: {},
    activeDirectoryDataLake: "",
    portal: origin,
    media: origin,
    graph: origin,
    gallery: origin,
    batch: origin,
  };
}

function hostOf(address: string): string {
  return /^https?:\/\/([^/]*)/.exec(address)?.[1] ?? "";
}
