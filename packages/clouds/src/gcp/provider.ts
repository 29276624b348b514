import { getCloud } from "@cloudwright/contract/clouds";
import { systemClock } from "@cloudwright/platform";
import {
  capabilities,
  type AccountRequest,
  type CloudAccount,
  type CloudProvider,
  type LibraryRun,
  type ProviderOptions,
  type TerraformAccess,
} from "../cloud-provider.ts";
import { readGcpAccess } from "./account-access.ts";
import { createGcpView } from "./account-view.ts";
import { createGcpApi } from "./api.ts";
import { findGcpAuthors } from "./audit-trail.ts";
import { createGcpClusters } from "./clusters.ts";
import { countObjects } from "./count-objects.ts";
import { startCredentialEndpoint } from "./credential-endpoint.ts";
import { createCredentialSource, type CredentialSource } from "./credentials.ts";
import { endpointFor, type GcpEndpoints } from "./endpoints.ts";
import { createGcp } from "./create-gcp.ts";
import { verifyGcpAccount } from "./identity.ts";
import { createGcpLeftovers } from "./leftovers.ts";
import { listOwnedResources } from "./owned-resources.ts";
import { createOwnToken } from "./own-token.ts";
import type { GcpLibraryOptions } from "./library/options.ts";
import { createGcpParts } from "./parts/parts.ts";
import { gcpPolicy } from "./permissions/render-policy.ts";
import { isCredentialRefusal } from "./refusals.ts";

export function createGcpProvider(options: ProviderOptions): CloudProvider {
  return {
    name: "gcp",
    facts: getCloud("gcp"),
    capabilities: new Set(capabilities),
    getPolicy: () => gcpPolicy,
    openAccount: (request) => openAccount(options, request),
    createOwnToken,
  };
}

function openAccount({ endpoints, identityTokenFile }: ProviderOptions, request: AccountRequest): CloudAccount {
  const { account, region } = request;
  const openAccess = async () => readGcpAccess(account, await request.openCredentials());
  const file = identityTokenFile === undefined ? {} : { identityTokenFile };
  const source = createCredentialSource({ clock: systemClock, openAccess }, { endpoints, account, ...file });
  const api = createGcpApi(source, { region: region || getCloud("gcp").regions.default, endpoints });
  const verify = async () => verifyGcpAccount(api, account, await openAccess());
  const getIdentity = async () => (await verify()).identity;
  return {
    verify,
    view: createGcpView(api, verify),
    listOwned: (entityUid) => listOwnedResources(api, entityUid),
    findAuthors: (resources) => findGcpAuthors(api, getIdentity, resources),
    countObjects: (bucket) => countObjects(api, bucket),
    leftovers: createGcpLeftovers(api),
    clusters: createGcpClusters(api, endpoints, getIdentity),
    // GKE clusters accept Google Cloud's access tokens.
    openCluster: async ({ endpoint: server, caPem }) => ({ server, caPem, token: async () => (await source.get()).token }),
    openTerraform: () => openTerraform(source, api.region, endpoints),
    async openDirect({ entityUid, ...run }) {
      const { parts } = createGcpParts({ entityUid, ...(await renderLibraryOptions(source, api.region, endpoints, run)) });
      return { parts, close: async () => undefined };
    },
    openLibrary: async (run) => createGcp(await renderLibraryOptions(source, api.region, endpoints, run)),
    findTrouble: () => source.trouble(),
    isCredentialRefusal,
    close: async () => undefined,
  };
}

/** Renders library options with the account's own credentials, which are renewed during long runs. */
async function renderLibraryOptions(
  source: CredentialSource,
  region: string,
  endpoints: GcpEndpoints,
  { budget }: LibraryRun,
): Promise<GcpLibraryOptions> {
  const services = ["container", "compute", "resource_manager"] as const;
  const named = services.map((service) => [
    service.replace(/_[a-z]/, (part) => part.slice(1).toUpperCase()),
    endpointFor(endpoints, service),
  ]);
  return {
    projectId: await source.getProject(),
    region,
    endpoints: Object.fromEntries(named),
    accessToken: async () => {
      const { token, expiresAtMs } = await source.get();
      return { token: token.reveal(), expiresAt: new Date(expiresAtMs) };
    },
    ...(budget === undefined ? {} : { budget }),
  };
}

async function openTerraform(source: CredentialSource, region: string, endpoints: GcpEndpoints): Promise<TerraformAccess> {
  const project = await source.getProject();
  const endpoint = await startCredentialEndpoint(source);
  return {
    environment: { ...endpoints, GOOGLE_PROJECT: project, GOOGLE_REGION: region },
    secretEnvironment: endpoint.secretEnvironment,
    close: () => endpoint.close(),
  };
}
