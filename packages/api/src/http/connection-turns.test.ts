import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect as connectHttp2, constants, createServer as createHttp2Server, type Http2ServerResponse } from "node:http2";
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
