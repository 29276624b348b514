import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { ApiRequest } from "../../api/api-service.ts";

/** The part of a request that a signature covers. */
export type SignedRequest = Pick<ApiRequest, "method" | "rawPath" | "rawQuery" | "headers" | "body">;

/** A Signature Version 4 signature, from the `Authorization` header or from the query of a presigned URL. */
export interface Signature {
  readonly accessKeyId: string;
  /** The day in the credential scope, such as `20261116`. */
  readonly day: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** When the request was signed, as the client wrote it: `20261116T192142Z`. */
  readonly signedAt: string;
  readonly sessionToken: string;
  /** How long a presigned URL is valid. Undefined if the signature is in the header. */
  readonly validSeconds?: number;
}

const algorithm = "AWS4-HMAC-SHA256";
const unsigned = "UNSIGNED-PAYLOAD";

/** Limits how much work an unauthenticated caller can cause. Clients sign about ten headers. */
const mostSignedHeaders = 50;
const mostQueryPairs = 1000;

/**
 * Reads the signature of a request. Returns undefined if there is none. Returns "incomplete" if parts of the signature are missing, or if
 * it covers a header twice or a header that the request does not have. Also returns "incomplete" if the request has more headers or query
 * parameters than a client needs.
 */
export function parseSignature(request: SignedRequest): Signature | "incomplete" | undefined {
  const header = headerOf(request, "authorization");
  const isInHeader = header.startsWith(algorithm);
  if (!isInHeader && !/(^|&)X-Amz-(Algorithm|Signature)=/.test(request.rawQuery)) return undefined;
  if (hasMoreParts(request.rawQuery, "&", mostQueryPairs)) return "incomplete";
  const signature = isInHeader ? parseHeader(header, request) : parsePresigned(new Map(listQuery(request.rawQuery)));
  if (signature === "incomplete") return signature;
  const sent = new Set(request.headers.map(([name]) => name));
  return signature.signedHeaders.every((name) => sent.has(name)) ? signature : "incomplete";
}

function parseHeader(header: string, request: SignedRequest): Signature | "incomplete" {
  const partOf = (name: string): string => new RegExp(`[ ,]${name}=([^,\\s]+)`).exec(header)?.[1] ?? "";
  return complete(partOf("Credential"), partOf("SignedHeaders"), partOf("Signature"), {
    signedAt: headerOf(request, "x-amz-date") || toCompact(headerOf(request, "date")),
    sessionToken: headerOf(request, "x-amz-security-token"),
  });
}

function parsePresigned(query: ReadonlyMap<string, string>): Signature | "incomplete" {
  const of = (name: string): string => query.get(name) ?? "";
  if (of("X-Amz-Algorithm") !== algorithm) return "incomplete";
  const validSeconds = Number(of("X-Amz-Expires") || Number.NaN);
  if (!Number.isInteger(validSeconds) || validSeconds < 0 || validSeconds > 604_800) return "incomplete";
  return complete(of("X-Amz-Credential"), of("X-Amz-SignedHeaders"), of("X-Amz-Signature"), {
    signedAt: of("X-Amz-Date"),
    sessionToken: of("X-Amz-Security-Token"),
    validSeconds,
  });
}

function complete(
  credential: string,
  signedHeaders: string,
  signature: string,
  rest: Pick<Signature, "signedAt" | "sessionToken" | "validSeconds">,
): Signature | "incomplete" {
  const [accessKeyId = "", day = "", region = "", service = "", end = "", ...more] = credential.split("/");
  const headers = signedHeaders.toLowerCase().split(";", mostSignedHeaders + 1);
  const isComplete =
    headers.length <= mostSignedHeaders &&
    new Set(headers).size === headers.length &&
    [accessKeyId, day, region, service].every((part) => part !== "") &&
    end === "aws4_request" &&
    more.length === 0 &&
    /^[0-9a-f]{64}$/.test(signature) &&
    headers.includes("host") &&
    parseTime(rest.signedAt) !== undefined &&
    rest.signedAt.startsWith(day);
  return isComplete ? { accessKeyId, day, region, service, signedHeaders: headers, signature, ...rest } : "incomplete";
}

/**
 * Returns whether a signature was made with this secret key, over exactly this request. Without `payloadHash`, the body must have arrived
 * completely.
 */
export function isSignedWith(
  request: SignedRequest,
  signature: Signature,
  secretAccessKey: string,
  payloadHash = findPayloadHash(request),
): boolean {
  if (payloadHash === undefined) return false;
  const given = Buffer.from(signature.signature);
  const expected = Buffer.from(sign(canonicalize(request, signature, payloadHash), signature, secretAccessKey));
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Returns the time at which a request was signed, in milliseconds since the epoch. */
export function parseTime(compact: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(compact);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Renders a time in the format that signatures use, such as `20261116T192142Z`. */
export function renderTime(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, "");
}

function toCompact(date: string): string {
  const ms = Date.parse(date);
  return Number.isNaN(ms) ? date : renderTime(ms);
}

/** Returns the body hash that a request states in its headers. */
export function findStatedHash(request: SignedRequest): string | undefined {
  return headerOf(request, "x-amz-content-sha256") || undefined;
}

// A client may state the hash in a header, which is then part of the signature. The hash must match the body, or an attacker could
// replace the body.
function findPayloadHash(request: SignedRequest): string | undefined {
  const stated = findStatedHash(request);
  if (stated === unsigned) return unsigned;
  const actual = sha256(request.body);
  return stated === undefined || stated === actual ? actual : undefined;
}

function sign(canonical: string, { day, region, service, signedAt }: Signature, secretAccessKey: string): string {
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = [algorithm, signedAt, scope, sha256(canonical)].join("\n");
  const signingKey = [day, region, service, "aws4_request"].reduce<Buffer>(
    (key, part) => createHmac("sha256", key).update(part).digest(),
    Buffer.from(`AWS4${secretAccessKey}`),
  );
  return createHmac("sha256", signingKey).update(toSign).digest("hex");
}

function canonicalize(request: SignedRequest, { signedHeaders, service }: Signature, payloadHash: string): string {
  const names = signedHeaders.toSorted();
  const values = listValues(request);
  return [
    request.method,
    canonicalPath(request.rawPath, service),
    canonicalQuery(request.rawQuery),
    names.map((name) => `${name}:${(values.get(name) ?? []).map(canonicalValue).join(",")}\n`).join(""),
    names.join(";"),
    payloadHash,
  ].join("\n");
}

function listValues({ headers }: SignedRequest): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
}

function canonicalValue(value: string): string {
  return value.trim().replaceAll(/ +/g, " ");
}

// All services except S3 encode the path a second time and resolve `.`, `..` and empty segments.
function canonicalPath(rawPath: string, service: string): string {
  if (service === "s3") return rawPath;
  const kept: string[] = [];
  for (const segment of rawPath.split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  const end = kept.length > 0 && rawPath.endsWith("/") ? "/" : "";
  return `/${kept.map(encode).join("/")}${end}`;
}

function canonicalQuery(rawQuery: string): string {
  const pairs = listQuery(rawQuery).filter(([name]) => name !== "X-Amz-Signature");
  return pairs
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the decoded names and values of a query. A plus sign is not decoded, because AWS signs it literally. */
export function listQuery(rawQuery: string): readonly (readonly [name: string, value: string])[] {
  if (rawQuery === "") return [];
  return rawQuery.split("&").map((pair) => {
    const at = pair.indexOf("=");
    return at < 0 ? [decode(pair), ""] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Encodes everything but the unreserved characters of RFC 3986, including characters that `encodeURIComponent` leaves unchanged.
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Returns whether a string has more parts than the limit, without splitting it. */
export function hasMoreParts(text: string, separator: string, most: number): boolean {
  let parts = 1;
  for (let at = text.indexOf(separator); at >= 0 && parts <= most; at = text.indexOf(separator, at + 1)) parts++;
  return parts > most;
}

/** Returns the value of a header, or "" if the request has none. */
export function headerOf({ headers }: Pick<ApiRequest, "headers">, name: string): string {
  return headers.find(([each]) => each === name)?.[1] ?? "";
}

function sha256(data: Buffer | string): string {
  return createHash("sha256").update(data).digest("hex");
}
