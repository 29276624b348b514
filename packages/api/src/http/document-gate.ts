import { type Clock, createRateLimiter, Fault, sourceNetwork } from "@cloudwright/platform";
import type { FastifyReply, FastifyRequest } from "fastify";
import { apiFaults } from "../faults.ts";

/** Limits how many public documents one source address may read: the API reference, the JWKS and the console's files. */
export interface DocumentGate {
  /**
   * Counts a response of `bytes` bytes. Throws if the source of the request has read too much. The connection then closes after the
   * response, so that the server does not have to reject each further pipelined request.
   */
  admit(request: Pick<FastifyRequest, "ip" | "raw">, reply: Pick<FastifyReply, "header">, bytes: number): void;
}

/** A response counts as one unit per 64 KiB, rounded up. Loading the console for the first time takes about 60 units. */
const unitBytes = 64 * 1024;
const defaultUnits = { perSecond: 100, burst: 2000 };

/** Creates the gate for one server. Documents need no credentials, so they can be limited only by source address. */
export function createDocumentGate(deps: { readonly clock: Clock }, units = defaultUnits): DocumentGate {
  const limiter = createRateLimiter(deps, units);
  return {
    admit(request, reply, bytes) {
      const admission = limiter.take(sourceNetwork(request.ip), Math.max(1, Math.ceil(bytes / unitBytes)));
      if (admission.allowed) return;
      // HTTP/2 has no `Connection` header.
      if (request.raw.httpVersionMajor === 1) void reply.header("connection", "close");
      const { retryAfterMs } = admission;
      throw new Fault(apiFaults.rate_limited, "this address has read too many documents", { retryAfterMs });
    },
  };
}
