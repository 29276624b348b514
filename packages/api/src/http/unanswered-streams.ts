import { type Clock, createRateLimiter, sourceNetwork } from "@cloudwright/platform";
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";

/**
 * Limits the HTTP/2 streams that end without a response shortly after they start. The limit applies to all connections from one remote
 * address.
 */
export interface UnansweredStreams {
  /** Returns whether the address may open further HTTP/2 connections. */
  admits(address: string): boolean;
  /** Counts the streams of a session, and closes the session if its address exceeds the limit. */
  watch(session: ServerHttp2Session): void;
}

const defaultLimits = { perSecond: 100, burst: 1000 };
/** Streams that end later do not count. They are long polls and watches that a client cancels or loses together with its connection. */
const soonMs = 1000;

/** Creates the limit for one port. Without it, a client could reset streams on many connections and stay below the limit of each one. */
export function createUnansweredStreams(deps: { readonly clock: Clock }, limits = defaultLimits): UnansweredStreams {
  const limiter = createRateLimiter(deps, limits);
  const isAllowed = (network: string): boolean => limiter.take(network, 0).allowed;
  return {
    admits: (address) => isAllowed(sourceNetwork(address)),
    watch(session) {
      const network = sourceNetwork(session.socket.remoteAddress ?? "");
      session.on("stream", (stream: ServerHttp2Stream) => {
        const startedAtMs = deps.clock.now();
        stream.once("close", () => {
          if (stream.headersSent || deps.clock.now() - startedAtMs >= soonMs) return;
          limiter.charge(network);
          if (!session.destroyed && !isAllowed(network)) session.destroy();
        });
      });
    },
  };
}
