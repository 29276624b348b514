import { Secret } from "@cloudwright/platform/secret";
import type { CommonOptions, LibraryClock } from "../../library/call-options.ts";
import { checkOption } from "../../library/check-request.ts";
import { createCloudFault, refuseRequest } from "../../library/errors.ts";
import type { AzureAccess, AzureLogin } from "../account-access.ts";
import type { AzureToken } from "../azure-token.ts";
import { managementScope, type AzureEndpoints } from "../endpoints.ts";

/**
 * Options for `createAzure`. Set at most one kind of credentials: `accessToken`, `managedIdentity`, or an application with a secret, a
 * certificate or a federated token. Without any, the SDK's default chain applies: environment variables, managed identity, and the Azure
 * CLI.
 */
export interface AzureLibraryOptions extends CommonOptions {
  readonly subscriptionId: string;
  /** Resource group for new resources. A name without a resource group is looked up here first, then in the whole subscription. */
  readonly resourceGroup: string;
  /** Location for calls that do not specify one, such as `eastus`. */
  readonly location: string;
  /** A token for Azure Resource Manager, or a function that obtains one for a scope. The library cannot renew a plain token. */
  readonly accessToken?: string | ((scope: string) => Promise<AzureAccessToken>);
  /** Tenant and client ID of an application in Microsoft Entra ID. */
  readonly tenantId?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Certificate and unencrypted private key of the application, in PEM. */
  readonly clientCertificate?: string;
  /** File with the application's federated token. The file is read again for each renewal. */
  readonly federatedTokenFile?: string;
  /** The managed identity of the machine. Set a client ID to use a user-assigned identity. */
  readonly managedIdentity?: boolean | { readonly clientId: string };
  /** URLs that replace Azure's own endpoints. They must use HTTPS, because the SDK sends no token over plain HTTP. */
  readonly endpoints?: { readonly resourceManager?: string; readonly authority?: string };
}

/** An access token that the calling program obtained. */
export interface AzureAccessToken {
  readonly token: string;
  /** The library requests a new token five minutes before this time. If absent, the library requests a new token after 15 minutes. */
  readonly expiresAt?: Date;
}

const unknownMs = 20 * 60_000;

/** Reads the credentials in the options. Throws `clouds.invalid` if they are incomplete or contradict each other. */
export function readLibraryAccess(options: AzureLibraryOptions, clock: LibraryClock): AzureAccess {
  const { subscriptionId, tenantId, resourceGroup } = options;
  for (const [name, value] of Object.entries({ subscriptionId, resourceGroup, location: options.location }))
    checkOption("azure", "createAzure", name, value);
  return { login: readLogin(options, clock), subscriptionId, resourceGroup, ...(tenantId === undefined ? {} : { tenantId }) };
}

function readLogin(options: AzureLibraryOptions, clock: LibraryClock): AzureLogin {
  const { accessToken, tenantId, clientId, clientSecret, clientCertificate, federatedTokenFile, managedIdentity } = options;
  const hasIdentity = managedIdentity !== undefined && managedIdentity !== false;
  const given = { accessToken, clientSecret, clientCertificate, federatedTokenFile };
  const kinds = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (hasIdentity) kinds.push("managedIdentity");
  if (kinds.length > 1) throw refuseRequest("azure", `set only one of ${kinds.join(", ")}`);
  if (accessToken !== undefined)
    return { by: "token", get: readToken(accessToken, managementScope(readEndpoints(options)), clock) };
  if (hasIdentity)
    return { by: "managedIdentity", ...(typeof managedIdentity === "object" ? { clientId: managedIdentity.clientId } : {}) };
  if (kinds.length === 0) {
    if (clientId === undefined) return { by: "agent" };
    throw refuseRequest("azure", "clientId needs clientSecret, clientCertificate or federatedTokenFile");
  }
  if (!tenantId || !clientId) throw refuseRequest("azure", `${kinds[0]} needs tenantId and clientId`);
  const application = { tenantId, clientId };
  if (federatedTokenFile !== undefined) return { by: "federation", application };
  if (clientCertificate !== undefined) return { by: "certificate", application, pem: new Secret(clientCertificate) };
  return { by: "secret", application, clientSecret: new Secret(clientSecret ?? "") };
}

function readToken(
  given: NonNullable<AzureLibraryOptions["accessToken"]>,
  audience: string,
  clock: LibraryClock,
): (scope: string) => Promise<AzureToken> {
  if (typeof given === "string") {
    if (given.trim() === "") throw refuseRequest("azure", "accessToken is empty");
    const token = new Secret(given.trim());
    return async (scope) => {
      if (scope === audience) return { token, expiresAtMs: Number.MAX_SAFE_INTEGER };
      const message =
        "accessToken is valid only for Azure Resource Manager; pass a function that obtains tokens, or other credentials";
      throw createCloudFault(message, { cloud: "azure", category: "auth" });
    };
  }
  return async (scope) => {
    const { token, expiresAt } = await given(scope);
    return { token: new Secret(token), expiresAtMs: expiresAt?.getTime() ?? clock.now() + unknownMs };
  };
}

/** Converts the endpoint options to the environment variables of the Azure SDKs. */
export function readEndpoints({ endpoints = {} }: AzureLibraryOptions): AzureEndpoints {
  const { resourceManager, authority } = endpoints;
  return {
    ...(resourceManager === undefined ? {} : { AZURE_RESOURCE_MANAGER_ENDPOINT: resourceManager }),
    ...(authority === undefined ? {} : { AZURE_AUTHORITY_HOST: authority }),
  };
}
