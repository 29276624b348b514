import { createContextKey, createContextValues, type ContextValues, type HandlerContext } from "@connectrpc/connect";
import type { IncomingHttpHeaders } from "node:http";
import type { Credentials } from "../../identity/authenticate.ts";
import type { RawResponse } from "../delivery.ts";
import { requestIdOf, responseTo } from "./observe-call.ts";

/** Properties of a call that Connect handlers cannot see. */
interface RequestContext {
  readonly source: string;
  readonly requestId: string;
  /** HTTP/2 sends the host as the `:authority` pseudo-header, which Connect does not pass to handlers. */
  readonly host: string | undefined;
  /** Undefined if the call did not arrive through an HTTP server. */
  readonly response: RawResponse | undefined;
}

const key = createContextKey<RequestContext>({ source: "", requestId: "", host: undefined, response: undefined });

type NodeRequest = { readonly socket?: { readonly remoteAddress?: string | undefined }; readonly headers: IncomingHttpHeaders };

export function createRequestContext(request: NodeRequest): ContextValues {
  const authority = request.headers[":authority"];
  const host = typeof authority === "string" ? authority : request.headers.host;
  const source = request.socket?.remoteAddress ?? "";
  return createContextValues().set(key, { source, requestId: requestIdOf(request), host, response: responseTo(request) });
}

export function readRequestContext(context: HandlerContext): RequestContext {
  return context.values.get(key);
}

/** Returns the HTTP response to a request, or undefined if the request did not arrive through an HTTP server. */
export function responseOf({ contextValues }: { readonly contextValues?: ContextValues }): RawResponse | undefined {
  return contextValues?.get(key).response;
}

/** Reads the credentials of a call and the headers that identify the page it was sent from. */
export function readRpcCredentials(context: HandlerContext): Credentials {
  const header = (name: string): string | undefined => context.requestHeader.get(name) ?? undefined;
  return {
    method: context.requestMethod,
    authorization: header("authorization"),
    cookie: header("cookie"),
    csrfHeader: header("x-cloudwright-csrf"),
    origin: header("origin"),
    host: readRequestContext(context).host,
    secFetchSite: header("sec-fetch-site"),
  };
}
