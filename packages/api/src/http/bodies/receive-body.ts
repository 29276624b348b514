import { Fault } from "@cloudwright/platform";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { apiFaults } from "../../faults.ts";
import type { HeldBody } from "./body-budget.ts";

/** Time limit for receiving a body over HTTP/2. Over HTTP/1.1, Node enforces the time limit for the whole request. */
const receiveMs = 30_000;

interface Receiving {
  readonly request: IncomingMessage;
  readonly payload: Readable;
  readonly maxBytes: number;
  readonly held: HeldBody;
}

type Done = (error: Error | null, bytes?: Buffer) => void;

/** Receives a body and counts its bytes as they arrive. Calls `done` once, with the whole body or with the reason for refusing it. */
export function receiveBody({ request, payload, maxBytes, held }: Receiving, done: Done): void {
  const length = Number(request.headers["content-length"]);
  const refuseLarge = (): void => done(new Fault(apiFaults.body_too_large, "the body is larger than this path accepts"));
  if (length > maxBytes) return refuseLarge();
  const chunks: Buffer[] = [];
  let received = 0;
  const stopClock = limitTime(request);
  const stop = (): void => {
    payload.off("data", onData).off("end", onEnd).off("error", onError);
    stopClock?.();
  };
  const onData = (chunk: Buffer): void => {
    received += chunk.length;
    try {
      held.add(chunk.length);
    } catch (error) {
      stop();
      return done(error as Error);
    }
    if (received > maxBytes) {
      stop();
      return refuseLarge();
    }
    chunks.push(chunk);
  };
  const onEnd = (): void => {
    stop();
    if (!Number.isNaN(length) && received !== length)
      return done(new Fault(apiFaults.bad_json, "the length of the body does not match Content-Length"));
    // The bytes are copied, because a chunk can be a part of a larger buffer that would stay in memory.
    done(null, Buffer.concat(chunks, received));
  };
  const onError = (error: Error): void => {
    stop();
    done(Object.assign(error, { statusCode: 400 }));
  };
  payload.on("data", onData).on("end", onEnd).on("error", onError).resume();
}

/** Ends a request whose body does not arrive in time. Returns a function that cancels the timer. */
export function limitTime(request: object): (() => void) | undefined {
  const { stream } = request as { readonly stream?: { close(): void } };
  if (stream === undefined) return undefined;
  const timer = setTimeout(() => stream.close(), receiveMs).unref();
  return () => clearTimeout(timer);
}
