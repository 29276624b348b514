import { createAddressLimit } from "@cloudwright/platform";
import { isReachable } from "@cloudwright/store";
import type { HandlerContext } from "@connectrpc/connect";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ApiDeps } from "../deps.ts";
import { createUploadTurns, smallUploadLimits, type UploadLimits } from "../documents/upload-turns.ts";
import { createDateHeader } from "./date-header.ts";
import { createConnectAdapter, type ConnectHandler } from "./connect/adapter.ts";
import { registerHealth } from "./connect/health.ts";
import { observeCall } from "./connect/observe-call.ts";
import { registerReflection } from "./connect/reflection.ts";
import { createRequestContext, readRequestContext, readRpcCredentials } from "./connect/request-context.ts";
import { createRequestGate } from "./connect/request-gate.ts";
import { createMessageReceiver } from "./connect/receive-message.ts";
import { registerConnectRoutes, type ConnectDeps } from "./connect/routes.ts";
import { createWorkHandler } from "./connect/serve-work.ts";
import { createMethodTurns } from "../calls/method-turns.ts";
import { servePipelines, serveStreams } from "./connection-turns.ts";
import { createBodyBudget, type BodyLimits } from "./bodies/body-budget.ts";
import { createDocumentGate } from "./document-gate.ts";
import { shareInProgress } from "./share-in-progress.ts";
import { createOnePort } from "./one-port.ts";
import { createPace } from "./pace.ts";
import { maxBodyBytes } from "./rest/body.ts";
import { rejectOtherMethods } from "./rest/reject-methods.ts";
import { registerRestRoutes } from "./rest/routes.ts";
import { registerSite, type Site } from "./site/routes.ts";
import { registerStateRoutes } from "./terraform-state/routes.ts";
import { createGatekeeper } from "../calls/gatekeeper.ts";
import { createHttpApp } from "./http-app.ts";
import { readCredentials, registerSessionRoutes } from "../identity/session-routes.ts";
import { openMetricsListener } from "./metrics-listener.ts";
import { createMetrics, requireScraper } from "./metrics.ts";
import { registerSimulatorRoutes } from "../simulator/routes.ts";
import { registerSystemRoutes } from "./system-routes.ts";
import { createHub } from "../watch/hub.ts";

export interface ServerOptions {
  readonly version: string;
  /** Average number of requests per second that one caller may send. A burst may contain twice as many. */
  readonly requestsPerSecond: number;
  /** Maximum number of open connections from one remote address. Default: 2,500. */
  readonly connectionsPerAddress?: number;
  /** Size limit for a Terraform state. */
  readonly maxStateBytes: number;
  /** How long a plan waits for approval before it expires. */
  readonly approvalTtlMs: number;
  /** Limits on uploads of states and plans, separately for small and large ones. Omitted limits have default values. */
  readonly uploads?: Partial<UploadLimits> | undefined;
  /** Limits on the memory for request bodies. */
  readonly bodies?: BodyLimits | undefined;
  /** The web console. Without one, `/` shows the API reference. */
  readonly site?: Site | undefined;
}

/** The API server. One port serves REST, server-sent events, Connect, gRPC-web and gRPC. */
export interface ApiServer {
  readonly app: FastifyInstance;
  listen(address: { host: string; port: number }): Promise<AddressInfo>;
  /** Serves only the metrics, on a separate address and without requiring a credential. */
  listenForMetrics(address: { host: string; port: number }): Promise<AddressInfo>;
  close(): Promise<void>;
}

const rpcPath = /^\/[a-z][\w.]*\.[A-Z]\w*\/[A-Z]\w*$/;

/** Creates the server with all its endpoints. It accepts connections once `listen` is called. */
export async function createApiServer(deps: ApiDeps, options: ServerOptions): Promise<ApiServer> {
  const hub = createHub(deps);
  const bodies = createBodyBudget(options.bodies);
  const metrics = createMetrics({
    watchers: () => hub.size(),
    connections: () => port.connections(),
    bodyBytes: () => bodies.total(),
  });
  const gatekeeper = createGatekeeper(deps, options);
  const isReady = shareInProgress(() => isReachable(deps.pool));
  const gate = createDocumentGate(deps);
  const closing = new AbortController();
  const turns = createMethodTurns();
  const pace = createPace();
  const rpcDeps = { ...deps, hub, turns, pace, bodies, closing: closing.signal };
  const rpc = createRpcHandler(rpcDeps, gatekeeper, isReady);
  const serveWork = createWorkHandler({ ...rpcDeps, admit: (...who) => gatekeeper.admit(...who) });
  const app = createHttpApp({ ...deps, metrics });
  registerRestRoutes(app, {
    ...deps,
    hub,
    turns,
    pace,
    bodies,
    closing: closing.signal,
    authenticateRequest: (request) => gatekeeper.admit(readCredentials(request), request.ip, request.id),
  });
  const uploads = createUploadTurns(deps, options.uploads);
  const smallUploads = createUploadTurns(deps, { ...smallUploadLimits, ...options.uploads });
  registerStateRoutes(app, { ...deps, gatekeeper, uploads, smallUploads }, options);
  registerSimulatorRoutes(app, { ...deps, gatekeeper, bodies, pace });
  registerSessionRoutes(app, deps, { gatekeeper });
  rejectOtherMethods(app, "/v1/session", new Set(["GET", "POST", "DELETE"]));
  const admitScraper = async (request: FastifyRequest): Promise<void> =>
    requireScraper(await gatekeeper.admit(readCredentials(request), request.ip, request.id));
  const system = { metrics, admitScraper, version: options.version, isReady, home: options.site === undefined };
  registerSystemRoutes(app, { ...deps, gate }, system);
  if (options.site !== undefined) registerSite(app, options.site, gate);
  await app.ready();

  // Fastify's own listener would treat every request as REST. RPC requests bypass Fastify, both on HTTP/1.1 (Connect, gRPC-web) and on
  // HTTP/2.
  app.server.removeAllListeners("request");
  const observing = { ...deps, metrics, renderDate: createDateHeader(deps.clock) };
  const dispatch = (request: Parameters<ConnectHandler>[0], response: Parameters<ConnectHandler>[1]): void => {
    if (rpcPath.test(request.url ?? "")) {
      observeCall(observing, request, response);
      if (!serveWork(request as IncomingMessage, response as ServerResponse)) rpc(request, response);
    } else app.routing(request as IncomingMessage, response as ServerResponse);
  };
  app.server.on("request", servePipelines(dispatch));
  const { connectionsPerAddress } = options;
  const addresses = connectionsPerAddress === undefined ? undefined : createAddressLimit(connectionsPerAddress);
  const port = createOnePort(app.server, serveStreams(dispatch), addresses);
  let metricsListener: Awaited<ReturnType<typeof openMetricsListener>> | undefined;
  return {
    app,
    listen: (address) => port.listen(address),
    async listenForMetrics(address) {
      metricsListener = await openMetricsListener(metrics, address);
      return metricsListener.address;
    },
    async close() {
      closing.abort();
      await metricsListener?.close();
      hub.close();
      await port.close();
      await app.close();
    },
  };
}

function createRpcHandler(
  deps: ConnectDeps,
  gatekeeper: ReturnType<typeof createGatekeeper>,
  isReady: () => Promise<boolean>,
): ConnectHandler {
  const authenticateContext = (context: HandlerContext): ReturnType<typeof gatekeeper.admit> => {
    const { source, requestId } = readRequestContext(context);
    return gatekeeper.admit(readRpcCredentials(context), source, requestId);
  };
  return createConnectAdapter({
    log: deps.log,
    routes(router) {
      registerConnectRoutes(router, deps);
      registerHealth(router, isReady);
      registerReflection(router);
    },
    contextValues: createRequestContext,
    receive: createMessageReceiver(deps),
    // Authenticates before the body is read and parsed.
    requestGate: createRequestGate({ ...deps, authenticateContext }),
    readMaxBytes: maxBodyBytes,
    shutdownTimeoutMs: 1_000,
  } as Parameters<typeof createConnectAdapter>[0]);
}
