import { isUid, numberOf, textOf } from "@cloudwright/platform";
import type { ApiIdentity } from "../../api/identity.ts";
import { AuthError, type ApiError } from "../../api/api-error.ts";
import type { Caller, CredentialOrigin, ServiceDeps } from "../../api/api-service.ts";
import { accountOf, callerOf, placeOf } from "../place.ts";
import { refuseAuth, type AuthProblem, type Protocol } from "./errors.ts";
import {
  findStatedHash,
  isSignedWith,
  parseSignature,
  parseTime,
  renderTime,
  type Signature,
  type SignedRequest,
} from "./sigv4.ts";

/** A key pair. Temporary key pairs also have a session token and an expiry time. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiresAtMs?: number;
}

/**
 * The identity that a temporary key pair acts as. The key pair becomes invalid together with the origin of the credential that was used to
 * request it.
 */
export interface SessionIdentity {
  readonly tenant: string;
  readonly arn: string;
  readonly origin?: CredentialOrigin | undefined;
}

const longPrefix = "AKIASIM";
const shortPrefix = "ASIASIM";
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * Returns a tenant's keys. Keys without an origin stay the same until the tenant's credentials are rotated. All other keys contain their
 * origin in the key id. The origin cannot be forged, because the secret key is derived from the whole id.
 */
export async function issueKeys(identity: ApiIdentity, tenant: string, origin?: CredentialOrigin): Promise<AwsKeys> {
  const accessKeyId = `${longPrefix}${renderKeyOwner({ tenant, origin })}`;
  const generation = await identity.getGeneration(tenant);
  const keys = { accessKeyId, secretAccessKey: deriveSecret(identity, accessKeyId, generation) };
  return origin === undefined ? keys : { ...keys, expiresAtMs: origin.expiresAtMs };
}

/** Returns temporary keys. They become invalid at the given time, when their origin becomes invalid, or at the next rotation. */
export async function issueSession(
  identity: ApiIdentity,
  { tenant, arn, origin }: SessionIdentity,
  requestedMs: number,
): Promise<Required<AwsKeys>> {
  const expiresAtMs = Math.min(requestedMs, origin?.expiresAtMs ?? requestedMs);
  const generation = await identity.getGeneration(tenant);
  const source = origin === undefined ? {} : { source: origin.source, originMs: origin.expiresAtMs };
  const sessionToken = `FwoSIM${identity.seal("aws session", { tenant, arn, generation, expiresAtMs, ...source })}`;
  const accessKeyId = `${shortPrefix}${toBase32(identity.deriveKey("aws session id", sessionToken).subarray(0, 8))}`;
  return { accessKeyId, secretAccessKey: deriveSecret(identity, accessKeyId, sessionToken), sessionToken, expiresAtMs };
}

/** A caller whose signature is valid. */
export interface AwsCaller extends Caller {
  readonly signature: Signature;
}

/** Maximum clock skew between the caller and the cloud. */
const toleratedMs = 300_000;

/**
 * Checks the key of a request before its body has arrived, and also the signature if the request states the hash of its body. Throws
 * `ApiError` with the code that the service's protocol uses.
 */
export async function admit(head: SignedRequest, protocol: Protocol, deps: ServiceDeps): Promise<void> {
  const { signature, found } = await findSigner(head, protocol, deps);
  const stated = findStatedHash(head);
  if (stated !== undefined && !isSignedWith(head, signature, found.keys.secretAccessKey, stated)) throw wrongSignature(protocol);
}

/** Verifies the signature of a request. Throws `ApiError` with the code that the service's protocol uses. */
export async function authenticate(request: SignedRequest, protocol: Protocol, deps: ServiceDeps): Promise<AwsCaller> {
  const { signature, found } = await findSigner(request, protocol, deps);
  const nowMs = await deps.nowFor(found.tenant);
  if (!isSignedWith(request, signature, found.keys.secretAccessKey)) throw wrongSignature(protocol);
  const refuse = refuser(protocol);
  checkTime(signature, nowMs, refuse);
  if ((found.keys.expiresAtMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
    throw refuse("expired", "The security token included in the request is expired");
  }
  const { tenant, arn: name, origin } = found;
  return { tenant, name, signature, ...(origin === undefined ? {} : { origin }) };
}

async function findSigner(
  request: SignedRequest,
  protocol: Protocol,
  deps: ServiceDeps,
): Promise<{ readonly signature: Signature; readonly found: FoundKeys }> {
  const refuse = refuser(protocol);
  const signature = parseSignature(request);
  if (signature === undefined) throw refuse("missing", "Missing Authentication Token");
  if (signature === "incomplete") throw refuse("incomplete", "The request signature does not conform to AWS standards.");
  const found = await findKeys(signature, deps);
  if (found === undefined) throw refuse("unknown_key", "The security token included in the request is invalid.");
  return { signature, found };
}

function refuser(protocol: Protocol): (problem: AuthProblem, message: string, nowMs?: number) => ApiError {
  return (problem, message, nowMs) => new AuthError(refuseAuth(problem, protocol, message), nowMs);
}

function wrongSignature(protocol: Protocol): ApiError {
  const message =
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.";
  return refuser(protocol)("wrong_signature", message);
}

function checkTime(
  { signedAt, validSeconds }: Signature,
  nowMs: number,
  refuse: (problem: AuthProblem, message: string, nowMs: number) => ApiError,
): void {
  const signedMs = parseTime(signedAt) ?? 0;
  const lateMs = validSeconds === undefined ? toleratedMs : validSeconds * 1000;
  const [now, tolerance] = [renderTime(nowMs), Math.round(lateMs / 60_000)];
  if (signedMs + lateMs < nowMs) {
    const earliest = renderTime(nowMs - lateMs);
    throw refuse("skewed", `Signature expired: ${signedAt} is now earlier than ${earliest} (${now} - ${tolerance} min.)`, nowMs);
  }
  if (signedMs - toleratedMs > nowMs) {
    const latest = renderTime(nowMs + toleratedMs);
    throw refuse("skewed", `Signature not yet current: ${signedAt} is still later than ${latest} (${now} + 5 min.)`, nowMs);
  }
}

interface FoundKeys {
  readonly tenant: string;
  readonly arn: string;
  readonly keys: AwsKeys;
  readonly origin: CredentialOrigin | undefined;
}

async function findKeys(signature: Signature, deps: ServiceDeps): Promise<FoundKeys | undefined> {
  const isShort = signature.accessKeyId.startsWith(shortPrefix);
  const found = await (isShort ? findSession(signature, deps) : findLongKeys(signature, deps));
  if (found === undefined) return undefined;
  const { origin, tenant } = found;
  if (origin === undefined) return deps.lastingKeys ? found : undefined;
  return origin.source === "" || (await deps.isSourceValid(origin.source, tenant)) ? found : undefined;
}

async function findLongKeys(
  { accessKeyId, region }: Signature,
  { identity, isTenant }: ServiceDeps,
): Promise<FoundKeys | undefined> {
  const owner = accessKeyId.startsWith(longPrefix) ? parseKeyOwner(accessKeyId.slice(longPrefix.length)) : undefined;
  if (owner === undefined || !isTenant(owner.tenant)) return undefined;
  const { tenant, origin } = owner;
  const generation = await identity.findGeneration(tenant);
  if (generation === undefined) return undefined;
  const arn = callerOf(placeOf({ tenant, provider: { region } }));
  const secretAccessKey = deriveSecret(identity, accessKeyId, generation);
  const end = origin === undefined ? {} : { expiresAtMs: origin.expiresAtMs };
  return { tenant, arn, origin, keys: { accessKeyId, secretAccessKey, ...end } };
}

async function findSession(
  { accessKeyId, sessionToken }: Signature,
  { identity, isTenant }: ServiceDeps,
): Promise<FoundKeys | undefined> {
  const sealed = identity.unseal("aws session", sessionToken.replace(/^FwoSIM/, ""));
  const tenant = textOf(sealed?.["tenant"]);
  if (sealed === undefined || !isTenant(tenant)) return undefined;
  if ((await identity.findGeneration(tenant)) !== textOf(sealed["generation"])) return undefined;
  const secretAccessKey = deriveSecret(identity, accessKeyId, sessionToken);
  const keys = { accessKeyId, secretAccessKey, sessionToken, expiresAtMs: numberOf(sealed["expiresAtMs"]) };
  const { source, originMs } = sealed;
  const origin = source === undefined ? undefined : { source: textOf(source), expiresAtMs: numberOf(originMs) };
  return { tenant, arn: textOf(sealed["arn"]), keys, origin };
}

// AWS secret keys have forty characters.
function deriveSecret(identity: ApiIdentity, accessKeyId: string, generation: string): string {
  const key = identity.deriveKey("aws secret key", accessKeyId, generation);
  return key.toString("base64").replaceAll("=", "").slice(0, 40).replaceAll("+", "x");
}

/** Returns the user id of a caller, as `GetCallerIdentity` reports it. */
export function userIdOf({ tenant, name }: Caller): string {
  const suffix = name.includes(":assumed-role/") ? `:${name.split("/").at(-1) ?? ""}` : "";
  return `${suffix === "" ? "AIDA" : "AROA"}${accountOf(tenant).padStart(17, "0")}${suffix}`;
}

interface KeyOwner {
  readonly tenant: string;
  readonly origin: CredentialOrigin | undefined;
}

// A key id consists of upper-case letters and digits, and has at most 128 characters. Most tenant names are uids, which are packed into
// 16 bytes to save space. The first letter indicates how the tenant is encoded, and whether the expiry in seconds and the source precede
// the tenant.
function renderKeyOwner({ tenant, origin }: KeyOwner): string {
  const [isPacked, name] = isUid(tenant) ? [true, Buffer.from(tenant.replaceAll("-", ""), "hex")] : [false, Buffer.from(tenant)];
  if (origin === undefined) return `${isPacked ? "U" : "T"}${toBase32(name)}`;
  const head = Buffer.alloc(6);
  head.writeUIntBE(Math.floor(origin.expiresAtMs / 1000), 0, 5);
  const source = Buffer.from(origin.source);
  head.writeUInt8(source.length, 5);
  return `${isPacked ? "V" : "W"}${toBase32(Buffer.concat([head, source, name]))}`;
}

function parseKeyOwner(text: string): KeyOwner | undefined {
  const bytes = fromBase32(text.slice(1));
  const kind = /^[TUVW]/.exec(text)?.[0];
  if (bytes === undefined || kind === undefined) return undefined;
  const hasOrigin = kind === "V" || kind === "W";
  if (hasOrigin && bytes.length < 6) return undefined;
  const at = hasOrigin ? 6 + bytes.readUInt8(5) : 0;
  const tenant = parseTenant(bytes.subarray(at), kind === "U" || kind === "V");
  if (tenant === undefined) return undefined;
  if (!hasOrigin) return { tenant, origin: undefined };
  return { tenant, origin: { source: bytes.subarray(6, at).toString("utf8"), expiresAtMs: bytes.readUIntBE(0, 5) * 1000 } };
}

function parseTenant(bytes: Buffer, isPacked: boolean): string | undefined {
  if (!isPacked) return bytes.toString("utf8") || undefined;
  if (bytes.length !== 16) return undefined;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((group) => alphabet[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}

function fromBase32(text: string): Buffer | undefined {
  if (!/^[A-Z2-7]*$/.test(text)) return undefined;
  const bits = Array.from(text, (char) => alphabet.indexOf(char).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
