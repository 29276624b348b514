import { methods } from "@cloudwright/contract";
import { createUid, type Clock, type Logger } from "@cloudwright/platform";
import type { RawResponse } from "../delivery.ts";
import type { Metrics } from "../metrics.ts";

/** The fields that HTTP/1.1 and HTTP/2 requests have in common. */
interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

const ids = new WeakMap<object, string>();
const responses = new WeakMap<object, RawResponse>();
const routes: ReadonlySet<string> = new Set(methods.map(({ id }) => `/${id}`));

/**
 * Assigns a request id, and logs and measures the call when it ends. RPC calls bypass the REST application, which does the same for REST
 * requests.
 */
export function observeCall(
  deps: { log: Logger; clock: Clock; metrics: Metrics; renderDate: () => string },
  request: NodeRequest,
  response: RawResponse,
): void {
  const startedMs = deps.clock.now();
  const requestId = createUid(startedMs);
  ids.set(request, requestId);
  responses.set(request, response);
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

export function requestIdOf(request: object): string {
  return ids.get(request) ?? "";
}

/** Returns the HTTP response for a request that is being observed, or undefined for any other request. */
export function responseTo(request: object): RawResponse | undefined {
  return responses.get(request);
}
