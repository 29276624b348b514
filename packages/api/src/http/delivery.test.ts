import type { FastifyReply } from "fastify";
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { awaitDelivery, isGone } from "./delivery.ts";

/** Creates a response that has not been sent yet and records how it is ended. */
function createResponse(part: object = {}): { reply: FastifyReply; raw: EventEmitter; ends: string[] } {
  const ends: string[] = [];
  const raw: EventEmitter = Object.assign(new EventEmitter(), { writableFinished: false, destroyed: false, ...part });
  const end = (how: string) => (): void => {
    ends.push(how);
    raw.emit("close");
  };
  Object.assign(
    raw,
    "http2" in part ? { stream: { close: end("stream closed") } } : { socket: { resetAndDestroy: end("reset") } },
  );
  return { reply: { raw } as unknown as FastifyReply, raw, ends };
}

test("X063 a large response is awaited until it is sent or its client disconnects", async () => {
  for (const event of ["finish", "close"]) {
    const { reply, raw, ends } = createResponse();
    let isDelivered = false;
    const delivery = awaitDelivery(reply).then(() => (isDelivered = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDelivered).toBe(false);
    raw.emit(event);
    await delivery;
    expect(ends).toEqual([]);
  }
});

test("X063 a client that does not read a large response is disconnected, over HTTP/1.1 and HTTP/2", async () => {
  const [http1, http2] = [createResponse(), createResponse({ http2: true })];
  await Promise.all([awaitDelivery(http1.reply, 1), awaitDelivery(http2.reply, 1)]);
  expect([http1.ends, http2.ends]).toEqual([["reset"], ["stream closed"]]);
});

test("X063 a response that was sent at once needs no waiting", async () => {
  for (const part of [{ writableFinished: true }, { destroyed: true }]) {
    const { reply, ends } = createResponse(part);
    await awaitDelivery(reply);
    expect(ends).toEqual([]);
  }
});

test("X063 a cancelled request is recognised over HTTP/1.1 and over HTTP/2, where responses have no `destroyed`", () => {
  const over = (part: object): boolean => isGone(part as FastifyReply["raw"]);
  expect([over({ destroyed: false }), over({ destroyed: true })]).toEqual([false, true]);
  const streams = [
    { closed: false, destroyed: false },
    { closed: true, destroyed: false },
    { closed: true, destroyed: true },
  ];
  expect(streams.map((stream) => over({ stream }))).toEqual([false, true, true]);
});
