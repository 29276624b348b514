import { fastify } from "fastify";
import { EventEmitter } from "node:events";
import { connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { awaitDelivery, isGone, largeResponseBytes, sendBody, type RawResponse } from "./delivery.ts";

const limits = { idleMs: 1000, bytesPerSecond: 100 };

afterEach(() => void vi.useRealTimers());

/** Creates a response that has not been sent yet. It records how it ends. */
function createResponse(part: object = {}): { raw: RawResponse; sent: EventEmitter; ends: string[] } {
  const ends: string[] = [];
  const sent: EventEmitter = Object.assign(new EventEmitter(), { writableFinished: false, destroyed: false, ...part });
  const end = (how: string) => (): void => {
    ends.push(how);
    sent.emit("close");
  };
  if ("http2" in part) Object.assign(sent, { close: end("stream closed") });
  else Object.assign(sent, { socket: { resetAndDestroy: end("reset") } });
  return { raw: ("http2" in part ? { stream: sent } : sent) as unknown as RawResponse, sent, ends };
}

test("X063 a response is awaited until it is sent or its client disconnects", async () => {
  for (const event of ["finish", "close"]) {
    const { raw, sent, ends } = createResponse();
    let isDelivered = false;
    const delivery = awaitDelivery(raw, 10).then(() => (isDelivered = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDelivered).toBe(false);
    sent.emit(event);
    await delivery;
    expect(ends).toEqual([]);
  }
});

test("X063 a client that does not read a response is disconnected, over HTTP/1.1 and HTTP/2", async () => {
  const [http1, http2] = [createResponse(), createResponse({ http2: true })];
  await Promise.all([http1, http2].map(({ raw }) => awaitDelivery(raw, 10, { ...limits, idleMs: 1 })));
  expect([http1.ends, http2.ends]).toEqual([["reset"], ["stream closed"]]);
});

test("X063 a client that reads a large response slowly but steadily is not disconnected, over HTTP/1.1 and HTTP/2", async () => {
  vi.useFakeTimers();
  for (const part of [{}, { http2: true }]) {
    const { raw, sent, ends } = createResponse(part);
    const delivery = awaitDelivery(raw, 2000, limits);
    for (let chunk = 0; chunk < 20; chunk += 1) {
      vi.advanceTimersByTime(limits.idleMs - 1);
      sent.emit("drain");
    }
    sent.emit("finish");
    await delivery;
    expect(ends).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  }
});

test("X063 a client that stops reading a large response, or reads it below the minimum rate, is disconnected", async () => {
  vi.useFakeTimers();
  const [stopped, slow] = [createResponse(), createResponse()];
  const deliveries = [awaitDelivery(stopped.raw, 2000, limits), awaitDelivery(slow.raw, 2000, limits)];
  stopped.sent.emit("drain");
  for (let chunk = 0; chunk < 21; chunk += 1) {
    vi.advanceTimersByTime(limits.idleMs - 1);
    slow.sent.emit("drain");
    expect([stopped.ends.length, slow.ends.length]).toEqual([chunk === 0 ? 0 : 1, 0]);
  }
  vi.advanceTimersByTime(limits.idleMs - 1);
  expect(slow.ends).toEqual(["reset"]);
  await Promise.all(deliveries);
});

test("X063 a response that has lost its connection without an event is given up", async () => {
  const { raw } = createResponse();
  Object.assign(raw, { socket: null });
  await expect(awaitDelivery(raw, 10, { ...limits, idleMs: 1 })).resolves.toBeUndefined();
});

test("X063 a response that was sent immediately does not have to be awaited", async () => {
  for (const part of [{ writableFinished: true }, { destroyed: true }]) {
    const { raw, ends } = createResponse(part);
    await awaitDelivery(raw, 10);
    expect(ends).toEqual([]);
  }
});

test("X063 a large body is sent in chunks without changing it", async () => {
  const app = fastify();
  const pair = "\u{1f600}";
  const bodies = [0, 1, 2].map((shift) => "x".repeat(shift) + pair.repeat(largeResponseBytes));
  app.get("/text/:nth", (request, reply) => {
    sendBody(reply, bodies[Number((request.params as { nth: string }).nth)] ?? "");
    return reply;
  });
  app.get("/bytes", (_request, reply) => {
    sendBody(reply.type("application/octet-stream"), Buffer.from(bodies[1] ?? ""));
    return reply;
  });
  for (const [nth, body] of bodies.entries()) {
    const { body: received, headers } = await app.inject(`/text/${nth}`);
    expect(received === body).toBe(true);
    expect(headers["content-length"]).toBe(String(Buffer.byteLength(body)));
  }
  expect((await app.inject("/bytes")).rawPayload.equals(Buffer.from(bodies[1] ?? ""))).toBe(true);
  const head = await app.inject({ method: "HEAD", url: "/text/0" });
  expect([head.statusCode, head.body]).toEqual([200, ""]);
  await app.close();
});

test("X063 over HTTP/2, a response counts as unread until the client opens its window, even a small one", async () => {
  const deliveries: Promise<void>[] = [];
  let delivered = 0;
  const server = createServer((_request, response) => {
    response.end("x".repeat(1000));
    deliveries.push(awaitDelivery(response, 1000).then(() => void (delivered += 1)));
  });
  server.listen(0);
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { settings: { initialWindowSize: 0 } });
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  // The second request leaves its side of the stream open, as clients may do.
  const streams = [session.request({ ":path": "/" }), session.request({ ":path": "/" }, { endStream: false })];
  await expect.poll(() => deliveries.length).toBe(2);
  await new Promise((resolve) => session.ping(resolve));
  expect(delivered).toBe(0);
  await new Promise<void>((resolve) => session.settings({ initialWindowSize: 65_535 }, () => resolve()));
  for (const stream of streams) stream.resume();
  await Promise.all(deliveries);
  expect(delivered).toBe(2);
});

test("X063 a cancelled request is recognised over HTTP/1.1 and over HTTP/2, where responses have no `destroyed`", () => {
  const over = (part: object): boolean => isGone(part as RawResponse);
  expect([over({ destroyed: false }), over({ destroyed: true })]).toEqual([false, true]);
  const streams = [
    { closed: false, destroyed: false },
    { closed: true, destroyed: false },
    { closed: true, destroyed: true },
  ];
  expect(streams.map((stream) => over({ stream }))).toEqual([false, true, true]);
});
