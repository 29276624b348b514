import { createHmac, timingSafeEqual } from "node:crypto";
import { isObject, numberOf, parseJson, textOf, type ReadonlyJsonObject } from "@cloudwright/platform";
import { AuthError } from "../../api/api-error.ts";
import type { ApiRequest, Caller, CredentialOrigin, ServiceDeps } from "../../api/api-service.ts";
import type { ApiIdentity } from "../../api/identity.ts";
import { guid } from "../place.ts";
import { refuseToken } from "./errors.ts";

/** The ids of a tenant's directory, application and subscription in its cloud. They are derived from the tenant's name. */
export interface AzureIds {
  readonly tenantId: string;
  readonly clientId: string;
  readonly objectId: string;
  readonly subscriptionId: string;
}

export function idsOf(tenant: string): AzureIds {
  return {
    tenantId: guid(`tenant ${tenant}`),
    clientId: guid(`client ${tenant}`),
    objectId: guid(`object ${tenant}`),
    subscriptionId: guid(`subscription ${tenant}`),
  };
}

const purpose = "azure client secret";
const prefix = "sim8Q~";

/** Returns a client secret for a tenant's application. It is valid until its origin expires or the tenant's credentials are rotated. */
export async function issueClientSecret(identity: ApiIdentity, tenant: string, origin?: CredentialOrigin): Promise<string> {
  const generation = await identity.getGeneration(tenant);
  return prefix + identity.seal(purpose, { tenant, generation, ...renderOrigin(origin) });
}

/** Verifies the credentials of an application. Throws the login endpoint's errors. */
export async function authenticateClient(
  { tenantId, clientId, secret }: { readonly tenantId: string; readonly clientId: string; readonly secret: string },
  deps: ServiceDeps,
): Promise<Caller> {
  const wrong = (): AuthError => {
    const message = `AADSTS7000215: Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${clientId}'.`;
    return new AuthError({ code: "invalid_client", message, status: 401 });
  };
  const sealed = secret.startsWith(prefix) ? deps.identity.unseal(purpose, secret.slice(prefix.length)) : undefined;
  const tenant = textOf(sealed?.["tenant"]);
  if (sealed === undefined || !deps.isTenant(tenant)) throw wrong();
  const origin = parseOrigin(sealed);
  const generation = await deps.identity.findGeneration(tenant);
  if (generation === undefined || generation !== textOf(sealed["generation"])) throw wrong();
  if (!(await isOriginValid(tenant, origin, deps))) throw wrong();
  const ids = idsOf(tenant);
  if (clientId.toLowerCase() !== ids.clientId) {
    const message = `AADSTS700016: Application with identifier '${clientId}' was not found in the directory.`;
    throw new AuthError({ code: "unauthorized_client", message, status: 400 });
  }
  if (tenantId.toLowerCase() !== ids.tenantId) {
    const message = `AADSTS90002: Tenant '${tenantId}' not found. Check to make sure you have the correct tenant ID.`;
    throw new AuthError({ code: "invalid_request", message, status: 400 });
  }
  if (origin !== undefined && origin.expiresAtMs <= (await deps.nowFor(tenant))) {
    const message = `AADSTS7000222: The provided client secret keys for app '${clientId}' are expired.`;
    throw new AuthError({ code: "invalid_client", message, status: 401 });
  }
  return { tenant, name: ids.objectId, ...(origin === undefined ? {} : { origin }) };
}

const longestMs = 3_599_000;

/** An access token and the number of seconds for which it is valid. */
export interface IssuedToken {
  readonly token: string;
  readonly seconds: number;
}

/** Issues an access token for an audience. It expires no later than the credential that was used to request it. */
export async function issueToken(
  identity: ApiIdentity,
  { tenant, origin }: Caller,
  { audience, issuer, nowMs }: { readonly audience: string; readonly issuer: string; readonly nowMs: number },
): Promise<IssuedToken> {
  const endMs = Math.min(nowMs + longestMs, origin?.expiresAtMs ?? Number.POSITIVE_INFINITY);
  const { tenantId, clientId, objectId } = idsOf(tenant);
  const [from, until] = [Math.floor(nowMs / 1000), Math.floor(endMs / 1000)];
  const claims = {
    aud: audience,
    iss: `${issuer}/${tenantId}/`,
    iat: from,
    nbf: from,
    exp: until,
    appid: clientId,
    appidacr: "1",
    idtyp: "app",
    oid: objectId,
    sub: objectId,
    tid: tenantId,
    ver: "1.0",
    simulated: { tenant, ...renderOrigin(origin) },
  };
  const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  const signature = sign(identity, tenant, await identity.getGeneration(tenant), text);
  return { token: `${text}.${signature.toString("base64url")}`, seconds: until - from };
}

const publicAudiences = new Set(["management.azure.com", "management.core.windows.net"]);

/** Verifies the bearer token of a request to Azure Resource Manager. Throws Azure's errors. */
export async function authenticate(request: Pick<ApiRequest, "headers" | "origin">, deps: ServiceDeps): Promise<Caller> {
  const header = request.headers.find(([name]) => name === "authorization")?.[1] ?? "";
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (token === undefined) {
    throw refuseToken("AuthenticationFailed", "Authentication failed. The 'Authorization' header is missing or invalid.");
  }
  const invalid = (): AuthError => refuseToken("InvalidAuthenticationToken", "The access token is invalid.");
  const [head = "", payload = "", signature = "", ...more] = token.split(".");
  const claims = parseClaims(payload);
  const own = claims?.["simulated"];
  const tenant = isObject(own) ? textOf(own["tenant"]) : "";
  if (claims === undefined || !isObject(own) || more.length > 0 || !deps.isTenant(tenant)) throw invalid();
  const generation = await deps.identity.findGeneration(tenant);
  if (generation === undefined) throw invalid();
  const given = Buffer.from(signature, "base64url");
  const expected = sign(deps.identity, tenant, generation, `${head}.${payload}`);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalid();
  const nowMs = await deps.nowFor(tenant);
  if (numberOf(claims["exp"]) * 1000 <= nowMs) {
    const message = `The access token expiry UTC time is '${new Date(numberOf(claims["exp"]) * 1000).toISOString()}'. Current UTC time is '${new Date(nowMs).toISOString()}'.`;
    throw refuseToken("ExpiredAuthenticationToken", message);
  }
  if (!isAudience(textOf(claims["aud"]), request.origin)) {
    const message = `The access token has been obtained for wrong audience or resource '${textOf(claims["aud"])}'.`;
    throw refuseToken("InvalidAuthenticationTokenAudience", message);
  }
  const origin = parseOrigin(own);
  if (!(await isOriginValid(tenant, origin, deps))) throw invalid();
  return { tenant, name: textOf(claims["oid"]), ...(origin === undefined ? {} : { origin }) };
}

function isAudience(audience: string, origin: string): boolean {
  if (!URL.canParse(audience)) return false;
  const { host } = new URL(audience);
  return publicAudiences.has(host) || (URL.canParse(origin) && host === new URL(origin).host);
}

async function isOriginValid(tenant: string, origin: CredentialOrigin | undefined, deps: ServiceDeps): Promise<boolean> {
  if (origin === undefined) return deps.lastingKeys;
  return origin.source === "" || deps.isSourceValid(origin.source, tenant);
}

function renderOrigin(origin: CredentialOrigin | undefined): Record<string, string | number> {
  return origin === undefined ? {} : { source: origin.source, originMs: origin.expiresAtMs };
}

function parseOrigin(given: ReadonlyJsonObject): CredentialOrigin | undefined {
  const { source, originMs } = given;
  return typeof originMs === "number" ? { source: textOf(source), expiresAtMs: originMs } : undefined;
}

function sign(identity: ApiIdentity, tenant: string, generation: string, text: string): Buffer {
  return createHmac("sha256", identity.deriveKey("azure token", tenant, generation))
    .update(text)
    .digest();
}

function encode(value: ReadonlyJsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function parseClaims(payload: string): ReadonlyJsonObject | undefined {
  const parsed = parseJson(Buffer.from(payload, "base64url").toString("utf8"));
  return isObject(parsed) ? parsed : undefined;
}
