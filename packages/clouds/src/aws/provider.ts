import { getCloud } from "@cloudwright/contract/clouds";
import { systemClock } from "@cloudwright/platform";
import { ownerTag, partTag } from "../account-view.ts";
import {
  capabilities,
  type AccountRequest,
  type CloudAccount,
  type CloudProvider,
  type DirectAccess,
  type DirectRun,
  type LibraryRun,
  type OwnedResource,
  type ProviderOptions,
  type TerraformAccess,
} from "../cloud-provider.ts";
import { readAwsAccess } from "./account-access.ts";
import { createAwsView } from "./account-view.ts";
import { createAwsApi } from "./api.ts";
import { findAwsAuthors } from "./audit-trail.ts";
import { createClusterToken } from "./cluster-token.ts";
import { createAws } from "./create-aws.ts";
import { createAwsClusters } from "./clusters.ts";
import { countObjects } from "./count-objects.ts";
import { startCredentialEndpoint } from "./credential-endpoint.ts";
import { createCredentialSource, type CredentialSource } from "./credentials.ts";
import { endpointFor, type AwsEndpoints } from "./endpoints.ts";
import { verifyAwsAccount } from "./identity.ts";
import { createAwsLeftovers } from "./leftovers.ts";
import { snapshotVolume } from "./final-snapshot.ts";
import { listKeyAliases } from "./key-aliases.ts";
import { listClusterLogGroups } from "./log-groups.ts";
import { listTaggedResources, type TaggedResource } from "./owned-resources.ts";
import { createOwnToken } from "./own-token.ts";
import type { AwsLibraryOptions } from "./library/options.ts";
import { createAwsParts } from "./parts/parts.ts";
import { awsPolicy } from "./permissions/render-policy.ts";
import { isCredentialRefusal } from "./refusals.ts";

export function createAwsProvider(options: ProviderOptions): CloudProvider {
  return {
    name: "aws",
    facts: getCloud("aws"),
    capabilities: new Set(capabilities),
    getPolicy: () => awsPolicy,
    openAccount: (request) => openAccount(options, request),
    createOwnToken,
  };
}

function openAccount({ endpoints, identityTokenFile }: ProviderOptions, request: AccountRequest): CloudAccount {
  const openAccess = async () => readAwsAccess(request.account, await request.openCredentials());
  const region = request.region || homeRegion(request.spec);
  const sessionName = request.session.slice(0, 64);
  const file = identityTokenFile === undefined ? {} : { webIdentityTokenFile: identityTokenFile };
  const source = createCredentialSource({ clock: systemClock, openAccess }, { endpoints, region, sessionName, ...file });
  const api = createAwsApi(source, { region, endpoints });
  const verify = async () => verifyAwsAccount(api, request.account, (await openAccess()).accountId);
  return {
    verify,
    view: createAwsView(api, verify),
    async listOwned(value) {
      const tagged = await listTaggedResources(api, { key: ownerTag, value });
      const place = { region, endpoints };
      const groups = await listClusterLogGroups(source, place, tagged);
      const aliases = await listKeyAliases(source, place, tagged);
      return [...tagged, ...groups, ...aliases].map(toOwned);
    },
    findAuthors: (resources) => findAwsAuthors(source, { region, endpoints }, resources),
    countObjects: (bucket) => countObjects(api, bucket),
    snapshotVolume: (volumeId, snapshot) => snapshotVolume(api, volumeId, snapshot),
    leftovers: createAwsLeftovers(api),
    clusters: createAwsClusters(api, endpoints),
    openCluster: async ({ name: cluster, region: place, endpoint: server, caPem }) => ({
      server,
      caPem,
      token: () => createClusterToken(source, { cluster, region: place, endpoints }),
    }),
    openTerraform: () => openTerraform(source, endpoints),
    openDirect: async (run) => openDirect(source, { region, endpoints }, run),
    openLibrary: async (run) => createAws(renderLibraryOptions(source, { region, endpoints }, run)),
    findTrouble: () => source.trouble(),
    isCredentialRefusal,
    close: async () => api.close(),
  };
}

async function openTerraform(source: CredentialSource, endpoints: Readonly<Record<string, string>>): Promise<TerraformAccess> {
  const endpoint = await startCredentialEndpoint(source);
  return {
    environment: { ...endpoints, ...endpoint.environment },
    secretEnvironment: endpoint.secretEnvironment,
    close: () => endpoint.close(),
  };
}

/** Creates the parts with the account's own credentials, which are renewed during long runs. */
function openDirect(
  source: CredentialSource,
  { region, endpoints }: { readonly region: string; readonly endpoints: AwsEndpoints },
  { entityUid, ...run }: DirectRun,
): DirectAccess {
  const { parts, close } = createAwsParts({ entityUid, ...renderLibraryOptions(source, { region, endpoints }, run) });
  return { parts, close: async () => close() };
}

/** Renders library options with the account's own credentials, which are renewed during long runs. */
function renderLibraryOptions(
  source: CredentialSource,
  { region, endpoints }: { readonly region: string; readonly endpoints: AwsEndpoints },
  { budget }: LibraryRun,
): AwsLibraryOptions {
  const services = ["eks", "ec2", "iam", "sts"].flatMap((service) => {
    const url = endpointFor(endpoints, service);
    return url === undefined ? [] : [[service, url] as const];
  });
  return {
    region,
    endpoints: Object.fromEntries(services),
    credentials: async () => {
      const { accessKeyId, secretAccessKey, sessionToken, expiresAtMs } = await source.get();
      return {
        accessKeyId,
        secretAccessKey: secretAccessKey.reveal(),
        expiresAt: new Date(expiresAtMs),
        ...(sessionToken === undefined ? {} : { sessionToken: sessionToken.reveal() }),
      };
    },
    ...(budget === undefined ? {} : { budget }),
  };
}

/**
 * Returns the region for calls that do not need a specific one. It depends on the AWS partition, because each partition has its own
 * accounts and regions.
 */
function homeRegion({ aws }: AccountRequest["spec"]): string {
  const { roleArn } = (aws ?? {}) as { readonly roleArn?: unknown };
  const partition = typeof roleArn === "string" ? roleArn.split(":")[1] : "";
  return partition === "aws-cn" ? "cn-north-1" : partition === "aws-us-gov" ? "us-gov-west-1" : "us-east-1";
}

function toOwned({ tags, ...resource }: TaggedResource): OwnedResource {
  const part = tags[partTag];
  return { ...resource, ...(part === undefined ? {} : { part }) };
}
