import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createByteBudget, describeError, systemClock, type Clock, type HeldBytes, type Secret } from "@cloudwright/platform";
import { defaultConditions, readConditions, type Conditions } from "../cloud/conditions.ts";
import { createLag } from "../cloud/lag.ts";
import { createThrottle } from "../cloud/throttle.ts";
import { listSimulatedApis, type SimulatedApi } from "../clouds.ts";
import type { Inventory } from "../inventory/inventory.ts";
import type { WireClusters } from "../inventory/wire-clusters.ts";
import { createHostAuthority, foundedMs } from "../kubernetes/host/cluster-credentials.ts";
import { createServerIdentity } from "../kubernetes/host/identity.ts";
import { createMemoryFaults } from "../simulated-faults/memory-faults.ts";
import type { SimulatedFaults } from "../simulated-faults/simulated-fault.ts";
import { deliver, type DeliveryLimits } from "../http/deliver.ts";
import { limitConnections } from "../http/limit-connections.ts";
import { answerCall, BodyTooLarge, type HostParts } from "./answer-call.ts";
import { ApiError } from "./api-error.ts";
import { defaultLimits, type ApiLimits } from "./api-limits.ts";
import type { ApiRequest, CredentialOrigin, IssuedCredentials, ServiceDeps } from "./api-service.ts";
import { DropConnection, type BrokenReply } from "./faults.ts";
import { createApiIdentity } from "./identity.ts";
import { createSettler } from "./settler.ts";
import { createStrangers } from "./strangers.ts";
import { createTenantTurns } from "./tenant-turns.ts";

export interface ApiHostOptions {
  readonly listen: { readonly host?: string; readonly port: number };
  readonly inventory: Inventory;
  /** The secret from which all keys and tokens are derived. */
  readonly secret: Secret;
  /** Where keys are stored (default: the inventory). Required if other hosts with other secrets share the inventory. */
  readonly keys?: Inventory;
  readonly faults?: SimulatedFaults;
  /** Returns the addresses of clusters. If absent, the Kubernetes APIs of created clusters are not reachable. */
  readonly clusters?: Pick<WireClusters, "describeClusterApi">;
  readonly clock?: Clock;
  /** Conditions for tenants that have not set their own. */
  readonly conditions?: Conditions;
  /** Returns whether a tenant with this name can exist. Requests from all other tenants are rejected without reading the inventory. */
  readonly isTenant?: (name: string) => boolean;
  /** Returns whether the source of a credential may still act as the tenant. If not, the credential is rejected. */
  readonly isSourceValid?: (source: string, tenant: string) => Promise<boolean>;
  /**
   * Returns the holder of a tenant, such as the project that an account belongs to. All tenants of one holder share its turns, so that
   * nobody gets more turns by creating tenants. Default: every tenant is its own holder.
   */
  readonly findHolder?: (tenant: string) => Promise<string>;
  /** Whether to accept credentials that never expire. Default: true. */
  readonly lastingKeys?: boolean;
  /** Returns the public address for a port. Required if the public address differs from the listening address. */
  readonly advertise?: (port: number) => string;
  /** Called after each request that may have changed a tenant's resources. */
  readonly onChange?: (tenant: string) => void;
  readonly onTrouble?: (message: string) => void;
  readonly limits?: Partial<ApiLimits>;
}

/** The simulated APIs of all clouds on one port, over HTTP and HTTPS. */
export interface ApiHost {
  /** The HTTP address, such as `http://127.0.0.1:8483`. */
  readonly address: string;
  readonly secureAddress: string;
  readonly port: number;
  /** The certificate authority for the HTTPS address. */
  readonly caPem: string;
  /** Returns credentials with which a cloud's own tools and SDKs act as the tenant. */
  issue(
    tenant: string,
    cloud: string,
    options?: { readonly region?: string; readonly origin?: CredentialOrigin; readonly cloudAccount?: string | undefined },
  ): Promise<IssuedCredentials>;
  /** Invalidates all credentials of a tenant. */
  rotate(tenant: string): Promise<void>;
  close(): Promise<void>;
}

/** Serves the clouds' own APIs from an inventory. */
export async function startApiHost(options: ApiHostOptions): Promise<ApiHost> {
  const {
    inventory,
    keys = inventory,
    secret,
    clock = systemClock,
    faults = createMemoryFaults(),
    onTrouble = () => undefined,
  } = options;
  const { conditions: standard = defaultConditions, isTenant = () => true } = options;
  const { isSourceValid = async () => true, lastingKeys = true } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const host = options.listen.host ?? "127.0.0.1";
  const apis = listSimulatedApis(options.clusters);
  const identity = createApiIdentity({ secret, inventory, clock });
  const nowFor = async (tenant: string): Promise<number> => {
    const { clockSkewMs = 0 } = await readConditions(inventory, tenant, standard);
    return clock.now() + clockSkewMs;
  };
  const deps: ServiceDeps = { inventory, keys, identity, clock, isTenant, isSourceValid, lastingKeys, nowFor };
  const settler = createSettler({ clock, onTrouble });
  const bodies = createByteBudget(limits.bodies);
  const parts: HostParts = {
    deps,
    clock,
    faults,
    standard,
    settler,
    throttle: createThrottle({ clock }),
    lag: createLag({ clock }),
    strangers: createStrangers({ clock }, limits.strangers),
    turns: createTenantTurns(limits.turns),
    findHolder: options.findHolder ?? (async (tenant) => tenant),
    limits,
    onTrouble,
    onChange: options.onChange ?? (() => undefined),
  };

  const answer: RequestListener = (request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (!(error instanceof DropConnection)) onTrouble(describeError(error));
      request.socket.destroy();
    });
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const head = toApiRequest(request);
    const find = (given: ApiRequest): SimulatedApi | undefined => apis.find(({ service }) => service.claims(given));
    const source = request.socket.remoteAddress ?? "";
    const receive = async (mostBytes: number, sender: string): Promise<ApiRequest> => {
      const held = bodies.open(sender);
      response.on("close", () => held[Symbol.dispose]());
      return { ...head, body: await readBody(request, mostBytes, held) };
    };
    const reply = (each: BrokenReply, nowMs: number): Promise<void> => send(response, each, nowMs, limits.delivery);
    const arriving = { head, source, gone: gone.signal, receive, reply };
    try {
      const api = find(head);
      if (api !== undefined) return await answerCall(parts, api, arriving);
      // If the request head does not identify a cloud, the request has no credential, so the smaller body limit applies.
      const whole = await receive(limits.strangerBytes, source);
      const claimed = find(whole);
      if (claimed !== undefined) return await answerCall(parts, claimed, { ...arriving, receive: async () => whole });
      response.writeHead(404, { "content-type": "text/plain" }).end("No simulated cloud serves this request.\n");
    } catch (error) {
      if (error instanceof ApiError) return void response.writeHead(error.refusal.status ?? 400).end();
      if (!(error instanceof BodyTooLarge)) throw error;
      // The rest of the body is discarded, so that the client reads the reply before the connection closes.
      request.resume();
      response.writeHead(413).end();
    }
  }

  const authority = createHostAuthority(secret.reveal());
  const names = ["localhost", "simulated-clouds"];
  const own = createServerIdentity(secret.reveal(), authority, names, [...new Set(["127.0.0.1", ...ipOf(host)])], foundedMs);
  const timeouts = {
    requestTimeout: limits.requestMs,
    headersTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.ceil(limits.requestMs / 10),
  };
  const plain = createHttpServer(timeouts, answer);
  const tls = { key: own.keyPem, cert: own.certificatePem, handshakeTimeout: limits.requestMs };
  const secure = createHttpsServer({ ...timeouts, ...tls }, answer);
  for (const each of [plain, secure]) {
    // Must exceed the idle timeouts of clients. If the server closed an idle connection first, the client's next request could fail.
    each.keepAliveTimeout = 120_000;
    // Node starts checking request timeouts on the `listening` event, which these servers would never emit because they do not listen
    // themselves.
    each.emit("listening");
  }
  const sockets = new Set<Socket>();
  const server = createServer();
  const admit = limitConnections(server, limits);
  server.on("connection", (socket) => {
    if (!admit(socket)) return;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    passOn(socket, plain, secure, limits.requestMs);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.listen.port, host, () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  const secureAddress = options.advertise?.(port) ?? `https://${host}:${port}`;
  const address = secureAddress.replace(/^https:/, "http:");

  return {
    address,
    secureAddress,
    port,
    caPem: authority.certificatePem,
    async issue(tenant, cloud, { region, origin, cloudAccount } = {}) {
      const { service } = getApi(apis, cloud);
      const place = { address, secureAddress, caPem: authority.certificatePem, region, cloudAccount };
      return service.issueCredentials(tenant, deps, { ...place, origin });
    },
    rotate: (tenant) => identity.rotate(tenant),
    async close() {
      settler.stop();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
      plain.close();
      secure.close();
    },
  };
}

function getApi(apis: readonly SimulatedApi[], cloud: string): SimulatedApi {
  const found = apis.find((api) => api.cloud === cloud);
  if (found === undefined) throw new Error(`no simulated API for the cloud "${cloud}"`);
  return found;
}

const tlsHandshake = 0x16;

// The first byte distinguishes TLS from plain HTTP, so that one port serves both.
function passOn(socket: Socket, plain: Server, secure: Server, patienceMs: number): void {
  socket.setTimeout(patienceMs, () => socket.destroy());
  socket.once("data", (chunk: Buffer) => {
    socket.setTimeout(0);
    socket.pause();
    socket.unshift(chunk);
    (chunk[0] === tlsHandshake ? secure : plain).emit("connection", socket);
    process.nextTick(() => socket.resume());
  });
}

async function readBody(request: IncomingMessage, mostBytes: number, held: HeldBytes): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) throw new BodyTooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  let isHeld = true;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      isHeld = held.findExcess(chunk.length) === undefined;
      if (size > mostBytes || !isHeld) break;
      held.add(chunk.length);
      chunks.push(chunk);
    }
  } catch {
    // The client has disconnected, or has not sent the whole request in time.
    throw new DropConnection();
  }
  if (size > mostBytes) throw new BodyTooLarge();
  if (!isHeld) {
    request.resume();
    throw new ApiError({ code: "", message: "Too many bytes are being received from this sender.", status: 429 });
  }
  return Buffer.concat(chunks);
}

function toApiRequest(request: IncomingMessage): ApiRequest {
  const { method = "GET", url = "/", rawHeaders, socket } = request;
  const mark = url.indexOf("?");
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.push([(rawHeaders[at] ?? "").toLowerCase(), rawHeaders[at + 1] ?? ""]);
  const scheme = "encrypted" in socket ? "https" : "http";
  return {
    method,
    rawPath: mark < 0 ? url : url.slice(0, mark),
    rawQuery: mark < 0 ? "" : url.slice(mark + 1),
    headers,
    body: Buffer.alloc(0),
    origin: `${scheme}://${request.headers.host ?? "localhost"}`,
  };
}

async function send(
  response: ServerResponse,
  { status, headers, body, isBroken = false }: BrokenReply,
  nowMs: number,
  limits: DeliveryLimits,
): Promise<void> {
  const bytes = Buffer.from(body);
  response.sendDate = false;
  // Clients correct their clocks with this header, so it contains the simulated cloud's time.
  response.writeHead(status, { ...headers, date: new Date(nowMs).toUTCString(), "content-length": bytes.length });
  if (!isBroken) return deliver(response, [bytes], bytes.length, limits);
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.socket?.destroy());
}

function ipOf(host: string): string[] {
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) && host !== "0.0.0.0" ? [host] : [];
}
