import { createUid, Fault, type Clock, type Logger } from "@cloudwright/platform";
import { fastify, type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Socket } from "node:net";
import { createDateHeader } from "./date-header.ts";
import { maxBodyBytes, registerBodyParsers } from "./rest/body.ts";
import { apiFaults } from "../faults.ts";
import type { Metrics } from "./metrics.ts";
import { renderProblem, toFault } from "./problem.ts";
import { suggestSegment } from "./suggest-segment.ts";

const maxHeaderBytes = 64 * 1024;

/**
 * Creates the Fastify application. It enforces limits, assigns request ids, renders problem details, and logs and measures each
 * request.
 */
export function createHttpApp(deps: { log: Logger; clock: Clock; metrics: Metrics }): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: maxBodyBytes,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    genReqId: () => createUid(deps.clock.now()),
    requestIdHeader: false,
    routerOptions: { maxParamLength: 512 },
    http: { maxHeaderSize: maxHeaderBytes, headersTimeout: 10_000 },
    clientErrorHandler: rejectUnreadable,
    // Router errors bypass the hooks and the error handler.
    frameworkErrors: (error, request, reply) => {
      void reply.header("x-request-id", request.id);
      void sendFault(request, reply, toFault(translate(error), deps.log, request.id));
    },
    return503OnClosing: false,
    exposeHeadRoutes: true,
  });
  registerBodyParsers(app);
  const renderDate = createDateHeader(deps.clock);
  app.addHook("onRequest", (request, reply, next) => {
    reply.header("x-request-id", request.id);
    reply.header("date", renderDate());
    reply.header("x-content-type-options", "nosniff");
    // Routes with cacheable responses override this header.
    reply.header("cache-control", "no-store");
    next();
  });
  app.addHook("onResponse", (request, reply, next) => {
    const route = request.routeOptions.url ?? "none";
    const seconds = reply.elapsedTime / 1000;
    deps.metrics.observeRequest({ method: request.method, route, status: reply.statusCode }, seconds);
    deps.log.info(
      { requestId: request.id, method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      "request",
    );
    next();
  });
  app.setErrorHandler((error, request, reply) => sendFault(request, reply, toFault(translate(error), deps.log, request.id)));
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    const message = `there is no route for ${request.method} ${path}${suggestSegment(path)}`;
    return sendFault(request, reply, new Fault(apiFaults.no_route, message));
  });
  return app;
}

/** Rejects requests that Node cannot parse, using the same problem-details format as all other errors. */
function rejectUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT")
    return endSocket(socket, "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n");
  const tooLarge = error.code === "HPE_HEADER_OVERFLOW";
  const fault = tooLarge
    ? new Fault(apiFaults.headers_too_large, `the URL and headers are larger than ${maxHeaderBytes} bytes`)
    : new Fault(apiFaults.bad_request, "the request is not HTTP");
  const body = JSON.stringify(renderProblem(fault, "", ""));
  endSocket(
    socket,
    `HTTP/1.1 ${fault.httpStatus} ${tooLarge ? "Request Header Fields Too Large" : "Bad Request"}\r\nContent-Type: application/problem+json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** How long the peer has to accept the last response before its connection is reset. */
const lastWordsMs = 1000;

/**
 * Sends a last response and closes the connection. If the peer keeps its side open, resets the connection, which would otherwise stay
 * half-closed.
 */
function endSocket(socket: Socket, response: string): void {
  socket.end(response);
  setTimeout(() => socket.resetAndDestroy(), lastWordsMs).unref();
}

function sendFault(request: FastifyRequest, reply: FastifyReply, fault: Fault): FastifyReply {
  if (fault.retryAfterMs !== undefined) void reply.header("retry-after", Math.ceil(fault.retryAfterMs / 1000));
  if (fault.kind === "unauthenticated" && !reply.hasHeader("www-authenticate")) void reply.header("www-authenticate", "Bearer");
  return reply
    .code(fault.httpStatus)
    .type("application/problem+json; charset=utf-8")
    .send(JSON.stringify(renderProblem(fault, request.id, pathOf(request))));
}

function pathOf(request: FastifyRequest): string {
  return request.url.split("?")[0] ?? "";
}

function translate(error: unknown): unknown {
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new Fault(apiFaults.body_too_large, "the body is larger than this path accepts");
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return new Fault(apiFaults.unsupported_media, "the body's Content-Type is not JSON");
  if (code === "FST_ERR_BAD_URL") return new Fault(apiFaults.bad_request, "the path is not percent-encoded UTF-8");
  if (code === "FST_ERR_MAX_PARAM_LENGTH") return new Fault(apiFaults.no_route, "the path is too long for any route");
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Fault(apiFaults.bad_json, error instanceof Error ? error.message : "the request cannot be parsed");
  }
  return error;
}
