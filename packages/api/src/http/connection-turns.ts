import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse, Http2Session } from "node:http2";
import type { Socket } from "node:net";

/** Starts handling one request. */
type Dispatch<Request, Response> = (request: Request, response: Response) => void;

/**
 * Maximum number of requests that wait for their turn on one HTTP/1.1 connection. The server disconnects clients that exceed it, because
 * Node has no public way to stop reading from a connection between requests.
 */
const mostWaiting = 256;
/** Number of streams that the server starts on one HTTP/2 connection before it turns to other connections. */
const streamsPerTurn = 16;

interface Pipeline {
  current: ServerResponse;
  /** True if a listener will start the next request when `current` ends. */
  isFollowed: boolean;
  readonly waiting: [IncomingMessage, ServerResponse][];
}

/**
 * Handles the requests on an HTTP/1.1 connection one after the other. Responses are sent in order anyway, so a client that pipelines
 * thousands of requests would gain nothing from concurrency and would delay all other clients.
 */
export function servePipelines(dispatch: Dispatch<IncomingMessage, ServerResponse>): typeof dispatch {
  const pipelines = new WeakMap<Socket, Pipeline>();
  const proceed = (socket: Socket, pipeline: Pipeline): void => {
    pipeline.isFollowed = false;
    // After a response with `Connection: close`, the socket is no longer writable, even if it is not destroyed yet.
    const next = socket.destroyed || !socket.writable ? undefined : pipeline.waiting.shift();
    if (next === undefined) return void (pipeline.waiting.length = 0);
    [, pipeline.current] = next;
    if (pipeline.waiting.length > 0) follow(socket, pipeline);
    dispatch(...next);
  };
  const follow = (socket: Socket, pipeline: Pipeline): void => {
    pipeline.isFollowed = true;
    pipeline.current.once("close", () => proceed(socket, pipeline));
  };
  return (request, response) => {
    const { socket } = request;
    const pipeline = pipelines.get(socket);
    if (pipeline === undefined) pipelines.set(socket, { current: response, isFollowed: false, waiting: [] });
    // A client that waits for each response needs no listener.
    else if (!pipeline.isFollowed && (pipeline.current.writableFinished || pipeline.current.closed)) pipeline.current = response;
    else {
      if (socket.destroyed) return;
      pipeline.waiting.push([request, response]);
      if (!pipeline.isFollowed) follow(socket, pipeline);
      if (pipeline.waiting.length > mostWaiting) socket.resetAndDestroy();
      return;
    }
    dispatch(request, response);
  };
}

/**
 * Starts the streams of an HTTP/2 connection a few at a time, so that other connections are served in between. Streams that the client has
 * reset by then are not started.
 */
export function serveStreams(dispatch: Dispatch<Http2ServerRequest, Http2ServerResponse>): typeof dispatch {
  const queues = new WeakMap<Http2Session, [Http2ServerRequest, Http2ServerResponse][]>();
  const proceed = (queue: [Http2ServerRequest, Http2ServerResponse][]): void => {
    for (const [request, response] of queue.splice(0, streamsPerTurn)) if (isOpen(request)) dispatch(request, response);
    const open = queue.filter(([request]) => isOpen(request));
    queue.splice(0, queue.length, ...open);
    if (queue.length > 0) setImmediate(proceed, queue);
  };
  return (request, response) => {
    const { session } = request.stream;
    if (session === undefined) return;
    const queue = queues.get(session) ?? [];
    queues.set(session, queue);
    queue.push([request, response]);
    if (queue.length === 1) setImmediate(proceed, queue);
  };
}

function isOpen({ stream }: Http2ServerRequest): boolean {
  return !stream.destroyed && !stream.aborted && !stream.closed;
}
