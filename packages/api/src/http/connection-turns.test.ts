import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import {
  connect as connectHttp2,
  constants,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import { connect, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { servePipelines, serveStreams } from "./connection-turns.ts";

const host = "127.0.0.1";

async function openPipeline(): Promise<{ readonly started: ServerResponse[]; readonly socket: Socket; readText(): string }> {
  const started: ServerResponse[] = [];
  const server = createServer(servePipelines((_request, response) => void started.push(response)));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const socket = connect((server.address() as AddressInfo).port, host);
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  socket.on("error", () => undefined);
  onTestFinished(async () => {
    socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { started, socket, readText: () => text };
}

const render = (count: number): string =>
  Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: x\r\n\r\n`).join("");

test("X063 pipelined requests are handled one at a time, in order, and all get a response", async () => {
  const { started, socket, readText } = await openPipeline();
  const count = 250;
  socket.write(render(count));
  let mostOpen = 0;
  for (let index = 0; index < count; index += 1) {
    await expect.poll(() => started.length, { interval: 1 }).toBeGreaterThan(index);
    if (index % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    mostOpen = Math.max(mostOpen, started.length - index);
    const response = started[index];
    response?.end(`n${response.req.url}.`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(mostOpen).toBe(1);
  await expect.poll(readText).toContain(`n/${count - 1}.`);
  const served = [...readText().matchAll(/n\/(\d+)\./g)].map(([, index]) => Number(index));
  expect(served).toEqual(Array.from({ length: count }, (_, index) => index));
});

test("X063 a client that pipelines too many requests is disconnected, and its requests are never started", async () => {
  const { started, socket } = await openPipeline();
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(render(2000));
  await closed;
  await new Promise((resolve) => setImmediate(resolve));
  expect(started.length).toBeLessThanOrEqual(1);
});

test("X063 requests that wait behind a connection that was closed are never started", async () => {
  const { started, socket } = await openPipeline();
  socket.write(render(100));
  await expect.poll(() => started.length).toBe(1);
  const closed = once(started[0] as ServerResponse, "close");
  socket.resetAndDestroy();
  await closed;
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toHaveLength(1);
});

async function openStreams(): Promise<{ readonly started: Http2ServerResponse[]; readonly port: number }> {
  const started: Http2ServerResponse[] = [];
  const server = createHttp2Server(
    serveStreams((_request, response) => {
      started.push(response);
      response.end("served");
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return { started, port: (server.address() as AddressInfo).port };
}

test("X063 a stream that is reset right after its request does not cause any work", async () => {
  const { started, port } = await openStreams();
  const session = connectHttp2(`http://${host}:${port}`);
  onTestFinished(() => session.destroy());
  await once(session, "connect");
  const ends = Array.from({ length: 500 }, () => {
    const stream = session.request({ ":path": "/" });
    stream.on("error", () => undefined);
    stream.close(constants.NGHTTP2_CANCEL);
    return once(stream, "close");
  });
  await Promise.all(ends);
  const stream = session.request({ ":path": "/" });
  stream.resume();
  await once(stream, "end");
  expect(started.length).toBeLessThan(50);
});

test("X063 all concurrent streams that stay open are served", async () => {
  const { started, port } = await openStreams();
  const session = connectHttp2(`http://${host}:${port}`);
  onTestFinished(() => session.destroy());
  await Promise.all(Array.from({ length: 90 }, () => once(session.request({ ":path": "/" }).resume(), "end")));
  expect(started).toHaveLength(90);
});

/** Renders streams of one HTTP/2 connection as the server would receive them. */
function createRequests(session: object, count: number, state: object = {}): Http2ServerRequest[] {
  return Array.from({ length: count }, () => ({ stream: { session, ...state } }) as unknown as Http2ServerRequest);
}

test("X063 in each turn of the event loop at most 16 streams of a connection are started, so other connections wait for no more than that", async () => {
  const [busy, calm] = [{}, {}];
  const started: unknown[] = [];
  const dispatch = serveStreams(({ stream }) => void started.push(stream.session));
  for (const request of createRequests(busy, 1000)) dispatch(request, {} as Http2ServerResponse);
  for (const request of createRequests(calm, 1)) dispatch(request, {} as Http2ServerResponse);
  for (let turn = 1; started.length < 1001; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(started.filter((session) => session === busy).length).toBeLessThanOrEqual(16 * turn);
    expect(started.filter((session) => session === calm)).toHaveLength(1);
  }
});

test("X063 a rapid reset delays other connections by one turn, because streams that are already reset cost no turn", async () => {
  const [hostile, calm] = [{}, {}];
  const started: unknown[] = [];
  const dispatch = serveStreams(({ stream }) => void started.push(stream.session));
  for (const request of createRequests(hostile, 100_000, { closed: true })) dispatch(request, {} as Http2ServerResponse);
  for (const request of [...createRequests(hostile, 1), ...createRequests(calm, 1)]) dispatch(request, {} as Http2ServerResponse);
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual([calm]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual([calm, hostile]);
});
