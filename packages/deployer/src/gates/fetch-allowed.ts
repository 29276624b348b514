import { containsRange, describeError, Fault, parseAnyRange } from "@cloudwright/platform";
import { lookup as resolveHost } from "node:dns/promises";
import { request as openHttp, type IncomingMessage, type RequestOptions } from "node:http";
import { request as openHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { deployerFaults } from "../faults.ts";
import { maxBodyBytes } from "./gate-result.ts";

interface Address {
  readonly address: string;
  readonly family: number;
}

export interface FetchOptions {
  /** Hosts that the agent's operator allows. Without a port, an entry allows the default port only. */
  readonly allowed: readonly string[];
  readonly signal: AbortSignal;
  readonly resolve?: (host: string) => Promise<readonly Address[]>;
}

/**
 * Sends a GET request without credentials to a host that the agent's operator allows. Does not follow redirects. The connection uses the
 * address that was checked, so a DNS change after the check cannot redirect it.
 */
export async function fetchAllowed(
  text: string,
  { allowed, signal, resolve = resolveAll }: FetchOptions,
): Promise<{ readonly status: number; readonly text: string }> {
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (!isAllowed(url, allowed)) throw refuse(url, "the agent's operator does not allow this host");
  const addresses = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }];
  // A host name must not resolve to the agent's own machine. An operator who wants to allow that machine can list its IP address.
  const refused = addresses.find(({ address }) => isReserved(address) || (isIP(host) === 0 && isOwn(address)));
  if (refused !== undefined) throw refuse(url, `its address ${refused.address} is reserved or belongs to the agent`);
  if (addresses.length === 0) throw new Error(`${host} has no address`);
  const answer = await send(url, addresses, signal);
  return { status: answer.statusCode ?? 0, text: await readStart(answer) };
}

function refuse(url: URL, why: string): Fault {
  return new Fault(deployerFaults.gate_refused, `no request was sent to ${url.origin}: ${why}`);
}

function isAllowed(url: URL, allowed: readonly string[]): boolean {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  // `URL` leaves out the default port, so an entry without a port matches `url.host` only for the default port.
  return allowed.some((entry) => entry === url.host || entry === `${url.hostname}:${port}`);
}

async function resolveAll(host: string): Promise<readonly Address[]> {
  return resolveHost(host, { all: true });
}

// Link-local addresses include the metadata services of most clouds. The single addresses are metadata services outside those ranges.
const reserved = [
  "0.0.0.0/8",
  "169.254.0.0/16",
  "168.63.129.16/32",
  "100.100.100.200/32",
  "192.0.0.192/32",
  "224.0.0.0/3",
  "::/128",
  "fe80::/10",
  "ff00::/8",
  "fd00:ec0::/28",
  "fd20:ce::254/128",
].flatMap((range) => parseAnyRange(range) ?? []);

const loopback = ["127.0.0.0/8", "::1/128"].flatMap((range) => parseAnyRange(range) ?? []);

function isReserved(address: string): boolean {
  const range = parseAnyRange(plainAddress(address));
  return range === undefined || reserved.some((outer) => containsRange(outer, range));
}

function isOwn(address: string): boolean {
  const plain = plainAddress(address);
  const range = parseAnyRange(plain);
  if (range === undefined || loopback.some((outer) => containsRange(outer, range))) return true;
  return Object.values(networkInterfaces()).some((list = []) => list.some((own) => own.address === plain));
}

/** Returns the IPv4 address that an IPv6 address embeds, because the operating system may connect to it. */
function plainAddress(address: string): string {
  const range = parseAnyRange(address.replace(/%.*/s, ""));
  const embedding = ["::ffff:0:0/96", "64:ff9b::/96"].flatMap((text) => parseAnyRange(text) ?? []);
  if (range === undefined || !embedding.some((outer) => containsRange(outer, range))) return address.replace(/%.*/s, "");
  return [24n, 16n, 8n, 0n].map((shift) => (range.first >> shift) & 255n).join(".");
}

function send(url: URL, addresses: readonly Address[], signal: AbortSignal): Promise<IncomingMessage> {
  const lookup: LookupFunction = (_host, { all }, done) => {
    const [first] = addresses as [Address, ...Address[]];
    if (all === true) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
  const open = url.protocol === "https:" ? openHttps : openHttp;
  const options: RequestOptions = { agent: false, lookup, signal, headers: { "user-agent": "cloudwright", accept: "*/*" } };
  return new Promise((resolve, reject) => {
    const sent = open(url, options, resolve);
    sent.once("error", (error) => reject(signal.aborted ? (signal.reason as Error) : new Error(describeError(error))));
    sent.end();
  });
}

async function readStart(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size >= maxBodyBytes) break;
  }
  return Buffer.concat(parts).subarray(0, maxBodyBytes).toString();
}
