import type { Clock } from "@cloudwright/platform/clock";
import { Fault } from "@cloudwright/platform/fault";
import { Secret } from "@cloudwright/platform/secret";
import type { AuthClient } from "google-auth-library";
import { readFile } from "node:fs/promises";
import { cloudsFaults } from "../faults.ts";
import type { GcpAccess } from "./account-access.ts";
import { findAgentCredentials } from "./agent-credentials.ts";
import { openLibrary, scopes } from "./auth-library.ts";
import { endpointFor, type GcpEndpoints } from "./endpoints.ts";
import type { GcpToken } from "./gcp-token.ts";
import { toCloudFault } from "./refusals.ts";

/** Provides access tokens and renews them as needed, so that each `get` returns a valid one. */
export interface CredentialSource {
  /** Returns a token. Pass the last token if the cloud rejected it, so that a source that can renew tokens does so. */
  get(rejected?: GcpToken): Promise<GcpToken>;
  /** Returns the project in which resources are created. Throws if neither the account nor the credentials name one. */
  getProject(): Promise<string>;
  /** Returns why the last request for credentials failed, or undefined if it succeeded. */
  trouble(): Fault | undefined;
}

export interface SourceDeps {
  readonly clock: Pick<Clock, "now">;
  /** Reads the account's access settings. Called before each renewal, so that changed settings take effect. */
  readonly openAccess: () => Promise<GcpAccess>;
}

export interface SourceOptions {
  readonly endpoints: GcpEndpoints;
  /** Name of the account entity, used in messages. */
  readonly account: string;
  /** Path of the file with the agent's identity token. */
  readonly identityTokenFile?: string;
  /** Additional certificate authorities for overridden endpoints, in PEM. */
  readonly caPem?: string;
}

const renewBeforeMs = 5 * 60_000;
const sessionSeconds = 3600;

interface Session extends GcpToken {
  readonly projectId?: string;
}

/** Creates an account's credential source. Tokens are cached in memory and renewed before they expire. */
export function createCredentialSource({ clock, openAccess }: SourceDeps, options: SourceOptions): CredentialSource {
  let kept: Session | undefined;
  let underWay: Promise<Session> | undefined;
  let trouble: Fault | undefined;
  const fetchNew = async (): Promise<Session> => {
    try {
      kept = await obtain(await openAccess(), options, clock.now());
      trouble = undefined;
      return kept;
    } catch (error) {
      trouble = toCloudFault(error, "issue an access token");
      throw trouble;
    } finally {
      underWay = undefined;
    }
  };
  const open = async (rejected?: GcpToken): Promise<Session> => {
    if (kept !== undefined && kept.token !== rejected?.token && kept.expiresAtMs - clock.now() > renewBeforeMs) return kept;
    return (underWay ??= fetchNew());
  };
  return {
    get: open,
    async getProject() {
      const projectId = (await openAccess()).projectId ?? (await open()).projectId;
      if (projectId !== undefined) return projectId;
      const message = `account "${options.account}" has no project: neither spec.gcp.projectId nor its credentials name one`;
      throw new Fault(cloudsFaults.no_credentials, message);
    },
    trouble: () => trouble,
  };
}

async function obtain({ first, serviceAccount }: GcpAccess, options: SourceOptions, nowMs: number): Promise<Session> {
  if (first.by === "token" && serviceAccount === undefined) return first.get();
  const { client, projectId } = await openClient(first, options);
  const project = projectId === undefined ? {} : { projectId };
  if (serviceAccount === undefined) return { ...(await fetchToken(client, nowMs)), ...project };
  const { library, options: clientOptions } = await openLibrary(options.endpoints, options.caPem);
  // The first token is requested separately, so that a wrong key is not reported as a failed impersonation.
  await fetchToken(client, nowMs);
  const impersonated = new library.Impersonated({
    ...clientOptions,
    sourceClient: client,
    targetPrincipal: serviceAccount,
    targetScopes: [...scopes],
    lifetime: sessionSeconds,
  });
  try {
    return { ...(await fetchToken(impersonated, nowMs)), ...project };
  } catch (error) {
    const fault = toCloudFault(error, `impersonate ${serviceAccount}`);
    throw fault.code === cloudsFaults.not_allowed.code || isMissing(error)
      ? new Fault(cloudsFaults.role_refused, fault.message)
      : fault;
  }
}

async function openClient(
  first: GcpAccess["first"],
  { endpoints, identityTokenFile, caPem }: SourceOptions,
): Promise<{ readonly client: AuthClient; readonly projectId?: string }> {
  if (first.by === "agent") return findAgentCredentials(endpoints, caPem);
  const { library, options } = await openLibrary(endpoints, caPem);
  if (first.by === "token") {
    const client = new library.OAuth2Client(options);
    client.setCredentials({ access_token: (await first.get()).token.reveal() });
    return { client };
  }
  if (first.by === "key") {
    const { email, privateKey, keyId } = first;
    return { client: new library.JWT({ ...options, email, key: privateKey.reveal(), keyId, scopes: [...scopes] }) };
  }
  const token = await readIdentityToken(identityTokenFile);
  const client = new library.IdentityPoolClient({
    ...options,
    type: "external_account",
    audience: `//iam.googleapis.com/${first.provider}`,
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `${endpointFor(endpoints, "sts")}token`,
    subject_token_supplier: { getSubjectToken: async () => token.reveal() },
    scopes: [...scopes],
  });
  return { client };
}

async function readIdentityToken(file: string | undefined): Promise<Secret> {
  if (file === undefined) {
    const message = "workload identity federation requires GOOGLE_IDENTITY_TOKEN_FILE on the agent";
    throw new Fault(cloudsFaults.no_credentials, message);
  }
  const text = await readFile(file, "utf8").catch(() => {
    throw new Fault(
      cloudsFaults.no_credentials,
      "the identity token file cannot be read. An agent reads the file's path from GOOGLE_IDENTITY_TOKEN_FILE",
    );
  });
  return new Secret(text.trim());
}

async function fetchToken(client: AuthClient, nowMs: number): Promise<GcpToken> {
  const { token } = await client.getAccessToken();
  if (typeof token !== "string" || token === "") throw new Fault(cloudsFaults.failed, "Google Cloud returned no access token");
  return { token: new Secret(token), expiresAtMs: client.credentials.expiry_date ?? nowMs + sessionSeconds * 1000 };
}

function isMissing(error: unknown): boolean {
  return (error as { readonly status?: number }).status === 404;
}
