import { createHash, generateKeyPair, verify } from "node:crypto";
import { promisify } from "node:util";
import { numberOf, objectOf, parseJson, textOf } from "@cloudwright/platform";
import { AuthError } from "../../api/api-error.ts";
import type { CredentialOrigin, ServiceDeps } from "../../api/api-service.ts";
import type { ApiIdentity } from "../../api/identity.ts";
import type { CloudRecord } from "../../inventory/inventory.ts";
import { numericId } from "../place.ts";
import { accountOf, tenantOf, type TokenOwner } from "./credentials.ts";

/** The key file of a service account, as Google Cloud creates it. */
export type KeyFile = Readonly<Record<string, string>>;

// The public keys are stored to verify assertions, which need not identify their key. The keys are sealed to prevent tampering, because
// the inventory has other writers. The record type is hidden, like the record types of other credentials.
const recordType = "cloud_service_account_key";
const purpose = "gcp service account key";
/** Google Cloud allows this many keys per service account. The oldest key is removed to make room for a new one. */
const mostKeys = 10;
const createKeys = promisify(generateKeyPair);

/** Creates a key for a tenant's service account. Only the public part is stored. */
export async function createKeyFile(
  { keys, identity, clock }: Pick<ServiceDeps, "keys" | "identity" | "clock">,
  {
    tenant,
    project,
    tokenUri,
    origin,
  }: {
    readonly tenant: string;
    readonly project: string;
    readonly tokenUri: string;
    readonly origin: CredentialOrigin | undefined;
  },
): Promise<KeyFile> {
  const email = accountOf(tenant, project);
  const { publicKey, privateKey } = await createKeys("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const id = createHash("sha1").update(publicKey).digest("hex");
  const generation = await identity.getGeneration(tenant);
  const ends = origin === undefined ? {} : { source: origin.source, expiresMs: Math.floor(origin.expiresAtMs) };
  const old = (await keys.list(tenant, recordType)).toSorted((a, b) => createdMs(b) - createdMs(a));
  const stale = old.filter((record, index) => index >= mostKeys - 1 || openKey(identity, record)?.generation !== generation);
  for (const record of stale) await keys.delete(tenant, record);
  const sealed = identity.seal(purpose, { tenant, email, publicKey, generation, ...ends });
  await keys.put(tenant, { type: recordType, id, attributes: { sealed, created_ms: Math.floor(clock.now()) } });
  return {
    type: "service_account",
    project_id: project,
    private_key_id: id,
    private_key: privateKey,
    client_email: email,
    client_id: numericId(email),
    auth_uri: tokenUri.replace(/token$/, "auth"),
    token_uri: tokenUri,
    universe_domain: "googleapis.com",
  };
}

function createdMs({ attributes }: CloudRecord): number {
  return numberOf(attributes["created_ms"]);
}

/** A service account that proved its identity, and the scopes that it requests. */
export interface Grant extends TokenOwner {
  readonly scope: string;
}

const longestMs = 3_600_000;
const toleratedMs = 300_000;

/**
 * Verifies the signed assertion with which a service account requests a token (RFC 7523). Throws the token endpoint's error if the
 * signature, the audience or the times are wrong.
 */
export async function verifyAssertion(assertion: string, audiences: readonly string[], deps: ServiceDeps): Promise<Grant> {
  const [head = "", claims = "", signature = "", ...rest] = assertion.split(".");
  const parse = (part: string): Readonly<Record<string, unknown>> =>
    objectOf(parseJson(Buffer.from(part, "base64url").toString("utf8")));
  const [header, { iss, aud, iat, exp, scope }] = [parse(head), parse(claims)];
  const email = textOf(iss);
  const tenant = tenantOf(email);
  if (rest.length > 0 || signature === "" || header["alg"] !== "RS256") throw refuseGrant("Invalid JWT: Failed to parse.");
  if (tenant === undefined || !deps.isTenant(tenant)) throw refuseGrant("Invalid grant: account not found");
  const signed = Buffer.from(`${head}.${claims}`);
  const keys = await listKeys(tenant, email, deps);
  const key = keys.find(({ publicKey }) => verify("RSA-SHA256", signed, publicKey, Buffer.from(signature, "base64url")));
  if (key === undefined) throw refuseGrant("Invalid JWT Signature.");
  if (!audiences.includes(textOf(aud))) throw refuseGrant("Invalid JWT: Audience is not the token endpoint.");
  const nowMs = await deps.nowFor(tenant);
  const [issuedMs, endMs] = [numberOf(iat) * 1000, numberOf(exp) * 1000];
  if (issuedMs > nowMs + toleratedMs || endMs <= nowMs - toleratedMs || endMs - issuedMs > longestMs) {
    const message =
      "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.";
    throw new AuthError({ code: "invalid_grant", message, status: 400 }, nowMs);
  }
  const { origin } = key;
  if ((origin?.expiresAtMs ?? Number.POSITIVE_INFINITY) <= nowMs) throw refuseGrant("Invalid JWT Signature.");
  if (origin === undefined ? !deps.lastingKeys : !(await isValid(origin, tenant, deps)))
    throw refuseGrant("Invalid JWT Signature.");
  return { tenant, email, origin, scope: textOf(scope) };
}

interface StoredKey {
  readonly tenant: string;
  readonly email: string;
  readonly publicKey: string;
  readonly generation: string;
  readonly origin: CredentialOrigin | undefined;
}

async function listKeys(tenant: string, email: string, { keys, identity }: ServiceDeps): Promise<readonly StoredKey[]> {
  const generation = await identity.findGeneration(tenant);
  if (generation === undefined) return [];
  const opened = (await keys.list(tenant, recordType)).flatMap((record) => openKey(identity, record) ?? []);
  return opened.filter((key) => key.tenant === tenant && key.email === email && key.generation === generation);
}

function openKey(identity: ApiIdentity, { attributes }: CloudRecord): StoredKey | undefined {
  const key = identity.unseal(purpose, textOf(attributes["sealed"]));
  if (key === undefined) return undefined;
  const { source, expiresMs } = key;
  return {
    tenant: textOf(key["tenant"]),
    email: textOf(key["email"]),
    publicKey: textOf(key["publicKey"]),
    generation: textOf(key["generation"]),
    origin: source === undefined ? undefined : { source: textOf(source), expiresAtMs: numberOf(expiresMs) },
  };
}

async function isValid({ source }: CredentialOrigin, tenant: string, { isSourceValid }: ServiceDeps): Promise<boolean> {
  return source === "" || isSourceValid(source, tenant);
}

function refuseGrant(message: string): AuthError {
  return new AuthError({ code: "invalid_grant", message, status: 400 });
}
