import { isUid, numberOf, textOf } from "@cloudwright/platform";
import type { ApiRequest, Caller, CredentialOrigin, ServiceDeps } from "../../api/api-service.ts";
import type { ApiIdentity } from "../../api/identity.ts";
import { unauthenticated } from "./errors.ts";

/**
 * The identity that an access token acts as. The token becomes invalid together with the origin of the credential that was used to request
 * it.
 */
export interface TokenOwner {
  readonly tenant: string;
  readonly email: string;
  readonly origin?: CredentialOrigin | undefined;
}

/** An access token. */
export interface AccessToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

const prefix = "ya29.sim-";
const purpose = "gcp access token";

/** Returns an access token. It becomes invalid at the given time, when its origin becomes invalid, or at the next rotation. */
export async function issueToken(
  identity: ApiIdentity,
  { tenant, email, origin }: TokenOwner,
  requestedMs: number,
): Promise<AccessToken> {
  const expiresAtMs = Math.min(requestedMs, origin?.expiresAtMs ?? requestedMs);
  const generation = await identity.getGeneration(tenant);
  const source = origin === undefined ? {} : { source: origin.source, originMs: origin.expiresAtMs };
  const token = `${prefix}${identity.seal(purpose, { tenant, email, generation, expiresAtMs, ...source })}`;
  return { token, expiresAtMs };
}

/** A caller whose access token is valid. */
export interface GcpCaller extends Caller {
  readonly expiresAtMs: number;
}

/** Verifies the access token of a request. Throws `ApiError`. */
export async function authenticate(request: Pick<ApiRequest, "headers">, deps: ServiceDeps): Promise<GcpCaller> {
  const found = await findCaller(bearerOf(request), deps);
  if (found === undefined) throw unauthenticated();
  return found;
}

/** Returns the bearer token of a request, or an empty string. */
export function bearerOf({ headers }: Pick<ApiRequest, "headers">): string {
  const value = headers.find(([name]) => name === "authorization")?.[1] ?? "";
  return /^Bearer +(\S+)$/i.exec(value)?.[1] ?? "";
}

/** Returns whether a string has the form of a simulated access token. */
export function isAccessToken(text: string): boolean {
  return text.startsWith("ya29.");
}

async function findCaller(token: string, deps: ServiceDeps): Promise<GcpCaller | undefined> {
  const { identity, isTenant, isSourceValid, lastingKeys, nowFor } = deps;
  const sealed = token.startsWith(prefix) ? identity.unseal(purpose, token.slice(prefix.length)) : undefined;
  const tenant = textOf(sealed?.["tenant"]);
  if (sealed === undefined || !isTenant(tenant)) return undefined;
  if ((await identity.findGeneration(tenant)) !== textOf(sealed["generation"])) return undefined;
  const expiresAtMs = numberOf(sealed["expiresAtMs"]);
  if (expiresAtMs <= (await nowFor(tenant))) return undefined;
  const name = textOf(sealed["email"]);
  const { source, originMs } = sealed;
  if (source === undefined) return lastingKeys ? { tenant, name, expiresAtMs } : undefined;
  const origin = { source: textOf(source), expiresAtMs: numberOf(originMs) };
  if (origin.source !== "" && !(await isSourceValid(origin.source, tenant))) return undefined;
  return { tenant, name, expiresAtMs, origin };
}

const accountDomain = "iam.gserviceaccount.com";

/** Returns the email address of the service account that a tenant's own credentials act as. The address contains the tenant's name. */
export function accountOf(tenant: string, project: string): string {
  const packed = isUid(tenant) ? BigInt(`0x${tenant.replaceAll("-", "")}`).toString(36) : undefined;
  const name = packed === undefined ? `sim-t${Buffer.from(tenant).toString("hex")}` : `sim-u${packed}`;
  return `${name}@${project}.${accountDomain}`;
}

/** Returns the tenant in the email address of a service account, or undefined if the address contains no tenant. */
export function tenantOf(email: string): string | undefined {
  const [, kind, name = ""] = /^sim-(?:([ut])([0-9a-z]{1,600}))@/.exec(email) ?? [];
  if (kind === "t") return /^([0-9a-f]{2})+$/.test(name) ? Buffer.from(name, "hex").toString("utf8") : undefined;
  if (kind !== "u" || name.length > 26) return undefined;
  const hex = Array.from(name)
    .reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
    .toString(16);
  const uid = hex.padStart(32, "0").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return isUid(uid) ? uid : undefined;
}
