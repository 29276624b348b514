import { getCloud } from "@cloudwright/contract/clouds";
import { systemClock } from "@cloudwright/platform";
import {
  capabilities,
  type AccountRequest,
  type CloudAccount,
  type CloudProvider,
  type DirectAccess,
  type DirectRun,
  type LibraryRun,
  type ProviderOptions,
  type TerraformAccess,
} from "../cloud-provider.ts";
import { readAzureAccess, type AzureAccess } from "./account-access.ts";
import { createAzureView } from "./account-view.ts";
import { createAzureApi, type AzureApi } from "./api.ts";
import { findAzureAuthors } from "./audit-trail.ts";
import { createClusterToken } from "./cluster-token.ts";
import { createAzureClusters } from "./clusters.ts";
import { countObjects } from "./count-objects.ts";
import { startCredentialEndpoint } from "./credential-endpoint.ts";
import { createCredentialSource, type CredentialSource } from "./credentials.ts";
import { createAzure } from "./create-azure.ts";
import { authorityOf, managementOf, type AzureEndpoints } from "./endpoints.ts";
import { findOnlySubscription, verifyAzureAccount } from "./identity.ts";
import { createAzureLeftovers } from "./leftovers.ts";
import type { AzureLibraryOptions } from "./library/options.ts";
import { listOwnedResources } from "./owned-resources.ts";
import { createOwnToken } from "./own-token.ts";
import { createAzureParts } from "./parts/parts.ts";
import { azurePolicy } from "./permissions/render-policy.ts";
import { isCredentialRefusal } from "./refusals.ts";

export function createAzureProvider(options: ProviderOptions): CloudProvider {
  return {
    name: "azure",
    facts: getCloud("azure"),
    capabilities: new Set(capabilities),
    getPolicy: () => azurePolicy,
    openAccount: (request) => openAccount(options, request),
    createOwnToken: () => createOwnToken(options.endpoints),
  };
}

function openAccount({ endpoints, identityTokenFile }: ProviderOptions, request: AccountRequest): CloudAccount {
  const openAccess = async (): Promise<AzureAccess> => readAzureAccess(request.account, await request.openCredentials());
  const file = identityTokenFile === undefined ? {} : { federatedTokenFile: identityTokenFile };
  const source = createCredentialSource({ clock: systemClock, openAccess }, { endpoints, ...file });
  let found: Promise<string> | undefined;
  const findSubscription = async (): Promise<string> =>
    (await openAccess()).subscriptionId ?? (await findOnlySubscription(api, request.account));
  const getSubscription = (): Promise<string> =>
    (found ??= findSubscription().catch((error: unknown) => {
      found = undefined;
      throw error;
    }));
  const api: AzureApi = createAzureApi(source, { region: request.region, endpoints, getSubscription });
  const findGroup = async (): Promise<string | undefined> => (await openAccess()).resourceGroup;
  const verify = async () => verifyAzureAccount(api, source, request.account, await openAccess());
  return {
    verify,
    view: createAzureView(api, verify, findGroup),
    listOwned: (uid) => listOwnedResources(api, uid),
    findAuthors: (resources) => findAzureAuthors(api, source, resources),
    countObjects: (bucket) => countObjects(api, source, bucket),
    leftovers: createAzureLeftovers(api, findGroup),
    clusters: createAzureClusters(api, source),
    openCluster: async ({ name, endpoint: server, caPem }) => ({
      server,
      caPem,
      token: () => createClusterToken(api, source, name),
    }),
    openTerraform: async () => openTerraform(source, endpoints, await getSubscription(), await openAccess()),
    openDirect: async (run) =>
      openDirect(source, { endpoints, region: request.region, run }, await getSubscription(), await openAccess()),
    openLibrary: async (run) => {
      const place = { endpoints, region: request.region, run };
      return createAzure(renderLibraryOptions(source, place, await getSubscription(), await openAccess()));
    },
    findTrouble: () => source.trouble(),
    isCredentialRefusal,
    close: async () => undefined,
  };
}

interface RunPlace<Run> {
  readonly endpoints: AzureEndpoints;
  readonly region: string;
  readonly run: Run;
}

/** Creates the parts with the account's own credentials, which are renewed during long runs. */
function openDirect(
  source: CredentialSource,
  { run: { entityUid, ...run }, ...place }: RunPlace<DirectRun>,
  subscriptionId: string,
  access: AzureAccess,
): DirectAccess {
  const options = renderLibraryOptions(source, { ...place, run }, subscriptionId, access);
  const { parts, close } = createAzureParts({ entityUid, ...options });
  return { parts, close: async () => close() };
}

/**
 * Renders library options with the account's own credentials, which are renewed during long runs. Resources are identified by their ARM ids, so
 * the resource group is only a default.
 */
function renderLibraryOptions(
  source: CredentialSource,
  { endpoints, region, run }: RunPlace<LibraryRun>,
  subscriptionId: string,
  { tenantId, resourceGroup = "cloudwright" }: AzureAccess,
): AzureLibraryOptions {
  return {
    subscriptionId,
    resourceGroup,
    location: region || getCloud("azure").regions.default,
    endpoints: { resourceManager: managementOf(endpoints), authority: authorityOf(endpoints).address },
    accessToken: async (scope) => {
      const { token, expiresAtMs } = await source.get(scope);
      return { token: token.reveal(), expiresAt: new Date(expiresAtMs) };
    },
    ...(tenantId === undefined ? {} : { tenantId }),
    ...(run.budget === undefined ? {} : { budget: run.budget }),
  };
}

async function openTerraform(
  source: CredentialSource,
  endpoints: AzureEndpoints,
  subscriptionId: string,
  { tenantId }: AzureAccess,
): Promise<TerraformAccess> {
  const endpoint = await startCredentialEndpoint(source);
  const isCustom = endpoints["AZURE_RESOURCE_MANAGER_ENDPOINT"] !== undefined;
  return {
    environment: {
      ...endpoint.environment,
      ARM_SUBSCRIPTION_ID: subscriptionId,
      ...(tenantId === undefined ? {} : { ARM_TENANT_ID: tenantId }),
      // Terraform reads the cloud's other endpoints from Azure Resource Manager.
      ...(isCustom ? { ARM_METADATA_HOSTNAME: new URL(managementOf(endpoints)).host } : {}),
    },
    secretEnvironment: endpoint.secretEnvironment,
    close: () => endpoint.close(),
  };
}
