import { Secret, systemClock } from "@cloudwright/platform";
import { createHash, createHmac } from "node:crypto";
import { revealed, type CredentialSource } from "./credentials.ts";
import { endpointFor, type AwsEndpoints } from "./endpoints.ts";

/** Which cluster a token is for, and where it is. */
export interface TokenRequest {
  /** What EKS calls it. */
  readonly cluster: string;
  readonly region: string;
  readonly endpoints?: AwsEndpoints;
  /** When it begins to be good; now unless said. */
  readonly signedAt?: Date;
}

/** What EKS takes for a token. */
export const tokenPrefix = "k8s-aws-v1.";
const expiresInSeconds = 60;

/** How long EKS takes such a token after it was made. */
export const tokenLifeMs = 14 * 60_000;

/**
 * A token for the Kubernetes API of a cluster in EKS: an address that says who we are when AWS is asked at it, signed for this cluster and the next minute.
 * Making one asks nobody but the source of the credentials.
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

function suffixOf(region: string): string {
  return region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}

// Signed as AWS encodes it: also what encodeURIComponent leaves alone.
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** What the signer hashes with. */
class Sha256 {
  readonly #parts: Buffer[] = [];
  readonly #key: Buffer | undefined;

  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.#key = key === undefined ? undefined : toBytes(key);
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#parts.push(toBytes(data));
  }

  async digest(): Promise<Uint8Array> {
    const hash = this.#key === undefined ? createHash("sha256") : createHmac("sha256", this.#key);
    for (const part of this.#parts) hash.update(part);
    return hash.digest();
  }

  reset(): void {
    this.#parts.length = 0;
  }
}

function toBytes(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === "string") return Buffer.from(data);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}
