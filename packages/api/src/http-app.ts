import { createUid, Fault, type Clock, type Logger } from "@cloudwright/platform";
import { fastify, type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { maxBodyBytes, registerBodyParsers } from "./doors/rest/body.ts";
import { apiFaults } from "./faults.ts";
import type { Metrics } from "./metrics.ts";
import { renderProblem, toFault } from "./problem.ts";

/** The HTTP application that routes are put on: limits, request ids, one log line and one measurement a request, problem details. */
export function createHttpApp(deps: { log: Logger; clock: Clock; metrics: Metrics }): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: maxBodyBytes,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    genReqId: () => createUid(deps.clock.now()),
    requestIdHeader: false,
    routerOptions: { maxParamLength: 512 },
    http: { maxHeaderSize: 16 * 1024, headersTimeout: 10_000 },
    return503OnClosing: false,
    exposeHeadRoutes: true,
  });
  registerBodyParsers(app);
  app.addHook("onRequest", (request, reply, next) => {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
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
  app.setNotFoundHandler((request, reply) =>
    sendFault(request, reply, new Fault(apiFaults.no_route, `nothing is served at ${request.method} ${pathOf(request)}`)),
  );
  return app;
}

function sendFault(request: FastifyRequest, reply: FastifyReply, fault: Fault): FastifyReply {
  if (fault.retryAfterMs !== undefined) void reply.header("retry-after", Math.ceil(fault.retryAfterMs / 1000));
  if (fault.kind === "unauthenticated") void reply.header("www-authenticate", "Bearer");
  return reply
    .code(fault.httpStatus)
    .type("application/problem+json; charset=utf-8")
    .send(JSON.stringify(renderProblem(fault, request.id, pathOf(request))));
}

function pathOf(request: FastifyRequest): string {
  return request.url.split("?")[0] ?? "";
}

/** What Fastify itself refuses, in our own words. */
function translate(error: unknown): unknown {
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new Fault(apiFaults.body_too_large, `the body is larger than ${maxBodyBytes} bytes`);
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return new Fault(apiFaults.unsupported_media, "the body's Content-Type is not JSON");
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Fault(apiFaults.bad_json, error instanceof Error ? error.message : "the request cannot be read");
  }
  return error;
}
