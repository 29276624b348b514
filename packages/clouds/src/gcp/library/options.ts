import { Secret } from "@cloudwright/platform/secret";
import type { CommonOptions, LibraryClock } from "../../library/call-options.ts";
import { refuseRequest } from "../../library/errors.ts";
import { parseServiceAccountKey, type GcpAccess } from "../account-access.ts";
import { completeEndpoint, type GcpEndpoints, type GcpService } from "../endpoints.ts";
import type { GcpToken } from "../gcp-token.ts";

/**
 * Options for `createGcp`. Set at most one kind of credentials: `accessToken`, `serviceAccountKey` or `workloadIdentity`. Without any, the
 * application default credentials apply: the file in GOOGLE_APPLICATION_CREDENTIALS, the gcloud login, or the machine's service account.
 */
export interface GcpLibraryOptions extends CommonOptions {
  readonly projectId: string;
  /** Region for calls that specify no location. */
  readonly region?: string;
  /** Zone for machines, and for clusters if no region is set. */
  readonly zone?: string;
  /**
   * A token, or a function that provides tokens. The function is called again five minutes before `expiresAt`, or after 15 minutes if there
   * is no expiry.
   */
  readonly accessToken?: string | (() => Promise<GcpAccessToken>);
  /** A service account's key file: its text or the parsed object. */
  readonly serviceAccountKey?: string | object;
  /** Exchanges the token in a file. The file is read again for each renewal. */
  readonly workloadIdentity?: {
    /** `projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER`. */
    readonly provider: string;
    readonly tokenFile: string;
  };
  /** Email address of a service account to impersonate with the credentials. */
  readonly impersonate?: string;
  /**
   * URLs that replace Google Cloud's own endpoints, such as `https://compute.googleapis.com/compute/v1/`. If a URL does not end with a version,
   * the library adds the path of Google Cloud's own endpoint.
   */
  readonly endpoints?: {
    readonly container?: string;
    readonly compute?: string;
    readonly oauth2?: string;
    readonly iamCredentials?: string;
    readonly sts?: string;
    readonly resourceManager?: string;
  };
}

/** An access token that the calling program obtained. */
export interface GcpAccessToken {
  readonly token: string;
  readonly expiresAt?: Date;
}

/** Assumed lifetime of a token without an expiry time. Like all tokens, it is renewed shortly before the end of its lifetime. */
const unknownMs = 20 * 60_000;

/** Reads the credentials in the options. Throws `clouds.invalid` if they contradict each other. */
export function readLibraryAccess(options: GcpLibraryOptions, clock: Pick<LibraryClock, "now">): GcpAccess {
  const { projectId, accessToken, serviceAccountKey, workloadIdentity, impersonate } = options;
  if ([accessToken, serviceAccountKey, workloadIdentity].filter((each) => each !== undefined).length > 1)
    throw refuseRequest("gcp", "set only one of accessToken, serviceAccountKey and workloadIdentity");
  const rest = { projectId, ...(impersonate === undefined ? {} : { serviceAccount: impersonate }) };
  if (accessToken !== undefined) return { first: { by: "token", get: readTokens(accessToken, clock) }, ...rest };
  if (workloadIdentity !== undefined) {
    const provider = workloadIdentity.provider.replace(/^(https:)?\/\/iam\.googleapis\.com\//, "");
    return { first: { by: "federation", provider }, ...rest };
  }
  if (serviceAccountKey === undefined) return { first: { by: "agent" }, ...rest };
  const text = typeof serviceAccountKey === "string" ? serviceAccountKey : JSON.stringify(serviceAccountKey);
  const { email, privateKey, keyId } = parseServiceAccountKey(text);
  return { first: { by: "key", email, privateKey, keyId }, ...rest };
}

function readTokens(
  accessToken: NonNullable<GcpLibraryOptions["accessToken"]>,
  clock: Pick<LibraryClock, "now">,
): () => Promise<GcpToken> {
  if (typeof accessToken === "string") {
    if (accessToken.trim() === "") throw refuseRequest("gcp", "accessToken is empty");
    // Only Google Cloud knows when the token expires. The token is used until then.
    const fixed = { token: new Secret(accessToken), expiresAtMs: Number.MAX_SAFE_INTEGER };
    return async () => fixed;
  }
  return async () => {
    const { token, expiresAt } = await accessToken();
    return { token: new Secret(token), expiresAtMs: expiresAt?.getTime() ?? clock.now() + unknownMs };
  };
}

/**
 * Converts the endpoint options to the environment variables of Google's Terraform provider. Throws `clouds.invalid` if an endpoint is not a
 * URL.
 */
export function readEndpoints({ endpoints = {} }: GcpLibraryOptions): GcpEndpoints {
  const named = Object.entries(endpoints).flatMap(([name, url]) => {
    if (url === undefined) return [];
    const service = name.replaceAll(/[A-Z]/g, "_$&").toLowerCase();
    const address = completeEndpoint(service as GcpService, url);
    if (address === undefined)
      throw refuseRequest(
        "gcp",
        `endpoints.${name} is "${url}", which is not a URL such as https://container.googleapis.com/v1/`,
      );
    return [[`GOOGLE_${service.toUpperCase()}_CUSTOM_ENDPOINT`, address]];
  });
  return Object.fromEntries(named) as GcpEndpoints;
}
