import {
  Code,
  ConnectError,
  createConnectRouter,
  type ConnectRouter,
  type ConnectRouterOptions,
  type ContextValues,
} from "@connectrpc/connect";
import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
  type connectNodeAdapter,
} from "@connectrpc/connect-node";
import type { Logger } from "@cloudwright/platform";

export type ConnectHandler = ReturnType<typeof connectNodeAdapter>;

/** A body that Connect reads. It is disposed of when the call has ended. */
export type ReceivedBody = { readonly body: UniversalServerRequest["body"] } & Disposable;

interface AdapterOptions extends ConnectRouterOptions {
  readonly log: Logger;
  routes(router: ConnectRouter): void;
  contextValues(request: Parameters<ConnectHandler>[0]): ContextValues;
  /** Returns the body that Connect reads instead of the given one. */
  receive(path: string, request: UniversalServerRequest): ReceivedBody;
}

/** Creates the handler for all RPC requests. Like `connectNodeAdapter`, but passes each body to `receive` before Connect parses it. */
export function createConnectAdapter(given: AdapterOptions): ConnectHandler {
  const { log, routes, contextValues, receive, ...options } = given;
  const router = createConnectRouter({ acceptCompression: [compressionGzip, compressionBrotli], ...options });
  routes(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return (request, response) => {
    const path = request.url ?? "";
    const handler = handlers.get(path);
    if (handler === undefined) {
      response.writeHead(404);
      return void response.end();
    }
    const serve = async (): Promise<void> => {
      const sent = universalRequestFromNodeRequest(request, response, undefined, contextValues(request));
      const received = receive(path, sent);
      try {
        const { body = noBytes(), ...answer } = await handler({ ...sent, body: received.body });
        await universalResponseToNodeResponse({ ...answer, body: disposeAfter(body, received) }, response);
      } finally {
        received[Symbol.dispose]();
      }
    };
    serve().catch((error: unknown) => {
      // A client disconnect is not a server error.
      if (ConnectError.from(error).code !== Code.Aborted) log.error({ err: error, path }, "an RPC request failed");
    });
  };
}

/** Disposes of a request's body once the response is complete. Connect runs some implementations while it sends the response. */
async function* disposeAfter(body: AsyncIterable<Uint8Array>, received: Disposable): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    received[Symbol.dispose]();
  }
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
