import type { ApiOperation, ApiRequest, ApiService, OpenedCall } from "../../api/api-service.ts";
import { findLocation } from "../gke/refusals.ts";
import { defaultProject } from "../place.ts";
import { computeOperations } from "./compute/operations.ts";
import { accountOf, authenticate, bearerOf, isAccessToken, issueToken } from "./credentials.ts";
import { refuse, renderOauthError, renderRestError, standardHeaders } from "./errors.ts";
import { gkeOperations } from "./gke/operations.ts";
import { iamOperations } from "./iam/operations.ts";
import { authenticateGrant, oauthOperations } from "./oauth/operations.ts";
import { projectOperations } from "./projects/operations.ts";
import { matchOperation, parseBody } from "./rest.ts";
import { createKeyFile } from "./service-account-keys.ts";

/** The simulated services. Their paths do not overlap, so all of them can share one address. */
export const services: Readonly<Record<string, readonly ApiOperation[]>> = {
  oauth2: oauthOperations,
  compute: computeOperations,
  container: gkeOperations,
  iam: iamOperations,
  projects: projectOperations,
};

/** The Google Cloud APIs: GKE, Compute Engine, IAM, Resource Manager, Service Usage and the token endpoint. */
export const gcpApi: ApiService = {
  claims: (request) =>
    isAccessToken(bearerOf(request)) || /^\/(compute\/v1\/|v1\/projects\/|token$|tokeninfo$)/.test(request.rawPath),
  // The header of a token request is not verified, so it must not grant higher limits.
  credentialOf: (head) => (isTokenRequest(head) ? "" : bearerOf(head)),
  async admit(head, deps) {
    if (!isTokenRequest(head)) await authenticate(head, deps);
  },
  async open(request, deps) {
    const query = new URLSearchParams(request.rawQuery.slice(0, longestQuery));
    if (isTokenRequest(request)) {
      const { tenant, email, origin } = await authenticateGrant(request, deps);
      const caller = { tenant, name: email, ...(origin === undefined ? {} : { origin }) };
      return { ...findOperation(request), caller, query, body: {}, provider: {} };
    }
    const caller = await authenticate(request, deps);
    const found = findOperation(request);
    checkProject(found.parameters["project"]);
    return { ...found, caller, query, body: parseBody(request.body), provider: providerOf(found.parameters) };
  },
  renderAnswer(_request, _opened, { status = 200, headers = {}, content }, requestId) {
    return { status, headers: { ...standardHeaders(requestId), ...headers }, body: JSON.stringify(content) };
  },
  renderError(request, refusal, requestId) {
    if (isTokenRequest(request)) return renderOauthError(refusal, requestId);
    return renderRestError(refusal, requestId, request.rawPath.startsWith("/compute/") ? "compute" : "");
  },
  async issueCredentials(tenant, deps, { address, region = "us-central1", origin, cloudAccount }) {
    const project = cloudAccount ?? defaultProject;
    const zone = findLocation(region)?.zones[0] ?? "";
    const { token } = await issueToken(
      deps.identity,
      { tenant, email: accountOf(tenant, project), origin },
      deps.clock.now() + ownTokenMs,
    );
    const key = await createKeyFile(deps, { tenant, project, tokenUri: `${address}/token`, origin });
    const [compute, container] = [`${address}/compute/v1/`, `${address}/v1/`];
    return {
      environment: {
        GOOGLE_CREDENTIALS: JSON.stringify(key),
        GOOGLE_OAUTH_ACCESS_TOKEN: token,
        GOOGLE_PROJECT: project,
        GOOGLE_REGION: region,
        GOOGLE_COMPUTE_CUSTOM_ENDPOINT: compute,
        GOOGLE_CONTAINER_CUSTOM_ENDPOINT: container,
        GOOGLE_RESOURCE_MANAGER_CUSTOM_ENDPOINT: `${address}/v1/`,
        GOOGLE_SERVICE_USAGE_CUSTOM_ENDPOINT: `${address}/v1/`,
        GOOGLE_IAM_BETA_CUSTOM_ENDPOINT: `${address}/v1/`,
        GOOGLE_IAM_CREDENTIALS_CUSTOM_ENDPOINT: `${address}/v1/`,
        GOOGLE_OAUTH2_CUSTOM_ENDPOINT: `${address}/`,
        CLOUDSDK_AUTH_ACCESS_TOKEN: token,
        CLOUDSDK_CORE_PROJECT: project,
        CLOUDSDK_COMPUTE_REGION: region,
        CLOUDSDK_COMPUTE_ZONE: zone,
        CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE: compute,
        CLOUDSDK_API_ENDPOINT_OVERRIDES_CONTAINER: `${address}/`,
        CLOUDSDK_API_ENDPOINT_OVERRIDES_IAM: `${address}/`,
        CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER: `${address}/`,
        CLOUDSDK_API_ENDPOINT_OVERRIDES_SERVICEUSAGE: `${address}/`,
      },
      options: {
        projectId: project,
        region,
        serviceAccountKey: key,
        endpoints: {
          compute,
          container,
          oauth2: `${address}/`,
          iamCredentials: `${address}/v1/`,
          resourceManager: `${address}/v1/`,
        },
      },
    };
  },
};

/** Lifetime of a token that is issued without the token endpoint. The key's origin may expire earlier. */
const ownTokenMs = 12 * 3_600_000;
const longestQuery = 32_768;

function isTokenRequest({ method, rawPath }: ApiRequest): boolean {
  return method === "POST" && rawPath === "/token";
}

function findOperation(request: ApiRequest): Pick<OpenedCall, "operation" | "parameters"> {
  for (const operations of Object.values(services)) {
    const found = matchOperation(operations, request);
    if (found !== undefined) return found;
  }
  return refuse({
    code: "notFound",
    message: `${request.method} ${request.rawPath.slice(0, 500)} is not simulated.`,
    status: 404,
  });
}

const projectId = /^([a-z0-9.-]{1,60}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/;

/** Every project that a tenant names belongs to that tenant. Two tenants can have unrelated projects with the same id. */
function checkProject(project: string | undefined): void {
  if (project === undefined || project === "-" || projectId.test(project)) return;
  const message = `Permission denied on resource project ${project.slice(0, 100)}.`;
  refuse({ code: "forbidden", message, status: 403 });
}

/** Returns the settings that Terraform's provider would have. */
function providerOf({ project = "", location, region, zone }: Readonly<Record<string, string>>): OpenedCall["provider"] {
  const place = location === undefined ? { region, zone } : placeOfLocation(location);
  return {
    project,
    add_terraform_attribution_label: false,
    ...(place.region === undefined ? {} : { region: place.region }),
    ...(place.zone === undefined ? {} : { zone: place.zone }),
  };
}

function placeOfLocation(location: string): { readonly region?: string; readonly zone?: string } {
  const found = findLocation(location);
  if (found === undefined) return {};
  return found.region === location ? { region: location } : { region: found.region, zone: location };
}
