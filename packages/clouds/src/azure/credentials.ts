import type { AccessToken, TokenCredential } from "@azure/core-auth";
import type { Clock } from "@cloudwright/platform/clock";
import { Fault } from "@cloudwright/platform/fault";
import { Secret } from "@cloudwright/platform/secret";
import { access } from "node:fs/promises";
import { rootCertificates } from "node:tls";
import { cloudsFaults } from "../faults.ts";
import type { AzureAccess, AzureLogin } from "./account-access.ts";
import type { AzureToken } from "./azure-token.ts";
import { authorityOf, type AzureEndpoints } from "./endpoints.ts";
import { toCloudFault } from "./refusals.ts";

/** Provides access tokens and renews them as needed, so that each `get` returns a valid one. */
export interface CredentialSource {
  get(scope: string): Promise<AzureToken>;
  /** Returns why the last request for a token failed, or undefined if it succeeded. */
  trouble(): Fault | undefined;
}

export interface SourceDeps {
  readonly clock: Pick<Clock, "now">;
  /** Reads the account's access settings. Called before each renewal, so that changed settings take effect. */
  readonly openAccess: () => Promise<AzureAccess>;
}

export interface SourceOptions {
  readonly endpoints: AzureEndpoints;
  /** Path of the file with the agent's federated token. */
  readonly federatedTokenFile?: string;
  /** Additional certificate authorities to trust when requesting tokens, in PEM. */
  readonly caPem?: string;
}

const renewBeforeMs = 5 * 60_000;

/** Creates an account's credential source. Tokens are cached in memory by scope and renewed before they expire. */
export function createCredentialSource({ clock, openAccess }: SourceDeps, options: SourceOptions): CredentialSource {
  const kept = new Map<string, AzureToken>();
  const underWay = new Map<string, Promise<AzureToken>>();
  let trouble: Fault | undefined;
  const fetchNew = async (scope: string): Promise<AzureToken> => {
    try {
      const issued = await obtain((await openAccess()).login, scope, options);
      kept.set(scope, issued);
      trouble = undefined;
      return issued;
    } catch (error) {
      trouble = toCloudFault(error, "get credentials");
      throw trouble;
    } finally {
      underWay.delete(scope);
    }
  };
  return {
    async get(scope) {
      const found = kept.get(scope);
      if (found !== undefined && found.expiresAtMs - clock.now() > renewBeforeMs) return found;
      const running = underWay.get(scope) ?? fetchNew(scope);
      underWay.set(scope, running);
      return running;
    },
    trouble: () => trouble,
  };
}

async function obtain(login: AzureLogin, scope: string, options: SourceOptions): Promise<AzureToken> {
  if (login.by === "token") return login.get(scope);
  const credential = await createCredential(login, options);
  const issued: AccessToken | null = await credential.getToken(scope);
  if (issued === null) throw new Fault(cloudsFaults.failed, "Azure returned no token");
  return { token: new Secret(issued.token), expiresAtMs: issued.expiresOnTimestamp };
}

/** Creates the SDK's credential for one request. The SDK's own cache is not used, so that rotated secrets take effect. */
async function createCredential(login: Exclude<AzureLogin, { by: "token" }>, options: SourceOptions): Promise<TokenCredential> {
  const identity = await import("@azure/identity");
  const { address, isCustom } = authorityOf(options.endpoints);
  // By default, the SDK queries the public cloud about authority hosts that it does not know.
  const { caPem } = options;
  const common = {
    authorityHost: address,
    disableInstanceDiscovery: isCustom,
    ...(caPem === undefined ? {} : { tlsOptions: { ca: [...rootCertificates, caPem] } }),
  };
  switch (login.by) {
    case "secret": {
      const { tenantId, clientId } = login.application;
      return new identity.ClientSecretCredential(tenantId, clientId, login.clientSecret.reveal(), common);
    }
    case "certificate": {
      const { tenantId, clientId } = login.application;
      return new identity.ClientCertificateCredential(tenantId, clientId, { certificate: checkPem(login.pem) }, common);
    }
    case "federation": {
      const tokenFilePath = await findTokenFile(options.federatedTokenFile);
      return new identity.WorkloadIdentityCredential({ ...login.application, tokenFilePath, ...common });
    }
    case "managedIdentity":
      return new identity.ManagedIdentityCredential(login.clientId === undefined ? {} : { clientId: login.clientId });
    case "agent":
      return new identity.DefaultAzureCredential(common);
  }
}

function checkPem(pem: Secret): string {
  const text = pem.reveal();
  if (/-----BEGIN CERTIFICATE-----/.test(text) && /-----BEGIN (RSA |EC )?PRIVATE KEY-----/.test(text)) return text;
  throw new Fault(
    cloudsFaults.no_credentials,
    "clientCertificate must contain a certificate and an unencrypted private key in PEM format",
  );
}

async function findTokenFile(file: string | undefined): Promise<string> {
  if (file === undefined)
    throw new Fault(cloudsFaults.no_credentials, "a federated token requires AZURE_FEDERATED_TOKEN_FILE on the agent");
  await access(file).catch((cause: unknown) => {
    throw new Fault(cloudsFaults.no_credentials, "the file that the agent's AZURE_FEDERATED_TOKEN_FILE names cannot be read", {
      cause,
    });
  });
  return file;
}
