import { systemClock } from "@cloudwright/platform/clock";
import { Secret } from "@cloudwright/platform/secret";
import { revealed, type CredentialSource } from "./credentials.ts";
import { endpointFor, suffixOf, type AwsEndpoints } from "./endpoints.ts";
import { Sha256 } from "./sha256.ts";

export interface TokenRequest {
  /** The cluster's name in EKS. */
  readonly cluster: string;
  readonly region: string;
  readonly endpoints?: AwsEndpoints;
  /** Start of the token's validity. Default: now. */
  readonly signedAt?: Date;
}

/** Prefix of every EKS token. */
export const tokenPrefix = "k8s-aws-v1.";
const expiresInSeconds = 60;

/** How long EKS accepts a token after it was signed. */
export const tokenLifeMs = 14 * 60_000;

/**
 * Creates a token for an EKS cluster's Kubernetes API without sending a request. The token is a presigned URL for STS `GetCallerIdentity`,
 * which EKS calls to identify the caller. The signature covers the cluster's name. The URL declares a lifetime of one minute, but EKS
 * accepts the token for `tokenLifeMs`.
 */
export async function createClusterToken(
  source: CredentialSource,
  { cluster, region, endpoints = {}, signedAt = new Date(systemClock.now()) }: TokenRequest,
): Promise<Secret> {
  const { SignatureV4 } = await import("@smithy/signature-v4");
  const url = new URL(endpointFor(endpoints, "sts") ?? `https://sts.${region}.${suffixOf(region)}`);
  const signer = new SignatureV4({ service: "sts", region, sha256: Sha256, credentials: revealed(await source.get()) });
  const presigned = await signer.presign(
    {
      method: "GET",
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port === "" ? {} : { port: Number(url.port) }),
      path: "/",
      query: { Action: "GetCallerIdentity", Version: "2011-06-15" },
      headers: { host: url.host, "x-k8s-aws-id": cluster },
    },
    {
      expiresIn: expiresInSeconds,
      signingDate: signedAt,
      unhoistableHeaders: new Set(["x-k8s-aws-id"]),
      unsignableHeaders: new Set(),
    },
  );
  const query = Object.entries(presigned.query ?? {}).map(([name, value]) => `${encode(name)}=${encode(String(value))}`);
  const address = `${url.protocol}//${url.host}/?${query.join("&")}`;
  return new Secret(tokenPrefix + Buffer.from(address).toString("base64url"));
}

// AWS also encodes characters that encodeURIComponent leaves unchanged. The signature covers the encoded form.
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}
