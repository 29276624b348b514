import { createAddressLimit, createManualClock } from "@cloudwright/platform";
import { createServer as createHttpServer, get } from "node:http";
import { connect, type ClientHttp2Session } from "node:http2";
import { connect as connectSocket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createOnePort, type OnePort } from "./one-port.ts";
import { createUnansweredStreams } from "./unanswered-streams.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const clock = createManualClock();

/** Opens a port that answers `/ok` and no other HTTP/2 request. By default, an address may leave 300 streams unanswered. */
async function openPort(limits = { perSecond: 100, burst: 300 }): Promise<{ port: OnePort; number: number }> {
  const http = createHttpServer((_request, response) => response.end("ok"));
  const unanswered = createUnansweredStreams({ clock }, limits);
  const port = createOnePort(
    http,
    (request, response) => {
      if (request.url === "/ok") response.end("ok");
    },
    createAddressLimit(100),
    unanswered,
  );
  closers.push(() => port.close());
  return { port, number: (await port.listen({ host: "127.0.0.1", port: 0 })).port };
}

function dial(number: number, localAddress = "127.0.0.1"): ClientHttp2Session {
  const createConnection = () => connectSocket({ port: number, host: "127.0.0.1", localAddress });
  const session = connect(`http://127.0.0.1:${number}`, { createConnection });
  session.on("error", () => undefined);
  session.setMaxListeners(0);
  closers.push(() => session.destroy());
  return session;
}

/** Sends a request. Resolves to its status, or to "closed" if the server closes the connection. */
function ask(session: ClientHttp2Session): Promise<number | "closed"> {
  return new Promise((resolve) => {
    session.once("close", () => resolve("closed"));
    if (session.destroyed) return resolve("closed");
    const stream = session.request({ ":path": "/ok" });
    stream.on("error", () => undefined);
    stream.on("response", ({ ":status": status }) => resolve(Number(status)));
    return stream.resume();
  });
}

/** Starts streams and resets each of them. Resolves when the server has seen all of them. */
async function resetStreams(session: ClientHttp2Session, count: number): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) {
    const stream = session.request({ ":path": "/hangs" });
    stream.on("error", () => undefined);
    stream.close(8);
  }
  await ask(session);
}

test("X071 streams that a client resets are counted per address, so new connections do not help", async () => {
  const { number } = await openPort();
  // Each connection stays below the per-connection limit.
  await resetStreams(dial(number), 150);
  expect(await ask(dial(number))).toBe(200);
  await resetStreams(dial(number), 150);
  await expect.poll(() => ask(dial(number))).toBe("closed");
  expect(await ask(dial(number, "127.0.0.2"))).toBe(200);
  clock.advance(1000);
  expect(await ask(dial(number))).toBe(200);
});

test("X071 streams of a connection that the client drops count as well", async () => {
  const { port, number } = await openPort();
  for (let nth = 0; nth < 2; nth += 1) {
    const session = dial(number);
    for (let started = 0; started < 160; started += 1) session.request({ ":path": "/hangs" }).on("error", () => undefined);
    expect(await ask(session)).toBe(200);
    session.destroy();
    await expect.poll(() => port.connections()).toBe(0);
  }
  await expect.poll(() => ask(dial(number))).toBe("closed");
});

test("X071 answered requests do not count, and HTTP/1.1 still works at the limit", async () => {
  const { number } = await openPort();
  const busy = dial(number);
  for (let nth = 0; nth < 400; nth += 1) expect(await ask(busy)).toBe(200);
  expect(await ask(dial(number))).toBe(200);
  await resetStreams(dial(number), 150);
  await resetStreams(dial(number), 160);
  await expect.poll(() => ask(dial(number))).toBe("closed");
  const status = await new Promise((resolve) => {
    get(`http://127.0.0.1:${number}/`, { agent: false }, (response) => resolve(response.resume().statusCode));
  });
  expect(status).toBe(200);
});

test("X071 long polls that many clients behind one address lose at the same time do not count", async () => {
  const { port, number } = await openPort();
  const session = dial(number);
  for (let started = 0; started < 400; started += 1) session.request({ ":path": "/hangs" }).on("error", () => undefined);
  expect(await ask(session)).toBe(200);
  clock.advance(1000);
  session.destroy();
  await expect.poll(() => port.connections()).toBe(0);
  expect(await ask(dial(number))).toBe(200);
});

test("X063 a connection whose client resets more streams than a connection may is closed, and others of the same address are served", async () => {
  const { port, number } = await openPort({ perSecond: 100_000, burst: 100_000 });
  const [calm, hostile] = [dial(number), dial(number)];
  expect(await ask(calm)).toBe(200);
  await resetStreams(hostile, 600);
  await expect.poll(() => hostile.destroyed).toBe(true);
  expect(await ask(calm)).toBe(200);
  await expect.poll(() => port.connections()).toBe(1);
});
