import { methods } from "@cloudwright/contract";
import { createUid, type Clock, type Logger } from "@cloudwright/platform";
import type { Metrics } from "../metrics.ts";

/** The common part of HTTP/1.1 and HTTP/2 requests. */
interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

interface NodeResponse {
  readonly statusCode: number;
  setHeader(name: string, value: string): unknown;
  once(event: "close", listener: () => void): unknown;
}

const ids = new WeakMap<object, string>();
const routes: ReadonlySet<string> = new Set(methods.map(({ id }) => `/${id}`));

/**
 * Gives a call a request id, one log line and one measurement when it ends, as for REST. These calls bypass the REST application.
 */
export function observeCall(
  deps: { log: Logger; clock: Clock; metrics: Metrics; renderDate: () => string },
  request: NodeRequest,
  response: NodeResponse,
): void {
  const startedMs = deps.clock.now();
  const requestId = createUid(startedMs);
  ids.set(request, requestId);
  response.setHeader("x-request-id", requestId);
  response.setHeader("date", deps.renderDate());
  response.once("close", () => {
    const ms = deps.clock.now() - startedMs;
    const { method = "", url = "" } = request;
    const route = routes.has(url) ? url : "none";
    deps.metrics.observeRequest({ method, route, status: response.statusCode }, ms / 1000);
    deps.log.info({ requestId, method, route, status: response.statusCode, ms }, "request");
  });
}

/** Returns the request id of the call. */
export function requestIdOf(request: object): string {
  return ids.get(request) ?? "";
}
