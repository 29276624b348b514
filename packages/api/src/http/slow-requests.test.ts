import { createLogger, systemClock } from "@cloudwright/platform";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createHttpApp } from "./http-app.ts";
import { createMetrics } from "./metrics.ts";
import { createOnePort, type OnePort } from "./one-port.ts";

/** Opens the server's port with timeouts that are short enough for a test. */
async function openPort(): Promise<{ readonly port: OnePort; dial(): Promise<Socket> }> {
  const log = createLogger({ level: "silent", name: "test" });
  const app = createHttpApp({
    log,
    clock: systemClock,
    metrics: createMetrics({ watchers: () => 0, connections: () => 0, bodyBytes: () => 0 }),
  });
  app.post("/", async ({ raw }) => {
    for await (const _ of raw);
    return "ok";
  });
  await app.ready();
  expect([app.server.headersTimeout, app.server.requestTimeout]).toEqual([10_000, 30_000]);
  Object.assign(app.server, { connectionsCheckingInterval: 20, headersTimeout: 50, requestTimeout: 100 });
  const port = createOnePort(app.server, () => undefined);
  const { port: number } = await port.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    await port.close();
    await app.close();
  });
  return {
    port,
    async dial() {
      const socket = connect({ port: number, host: "127.0.0.1", allowHalfOpen: true });
      socket.on("error", () => undefined);
      onTestFinished(() => void socket.destroy());
      await once(socket, "connect");
      return socket;
    },
  };
}

test.each([
  ["headers", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "],
  ["a body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"],
])(
  "X063 a client that sends %s too slowly gets a 408, and its connection is destroyed although the client keeps it open",
  async (_, start) => {
    const { port, dial } = await openPort();
    const socket = await dial();
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const answered = once(socket, "data");
    socket.write(start);
    const drip = setInterval(() => void (socket.writable && socket.write("x")), 10);
    onTestFinished(() => clearInterval(drip));
    expect(String((await answered)[0])).toMatch(/^HTTP\/1.1 408 /);
    // The client never ends its side, so only the server can close the connection.
    await closed;
    await expect.poll(() => port.connections()).toBe(0);
  },
);

test("X063 slow clients leave no half-closed connection behind, and others are served meanwhile", async () => {
  const { port, dial } = await openPort();
  const slow = await Promise.all(Array.from({ length: 30 }, dial));
  for (const socket of slow) socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
  const calm = await dial();
  calm.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  expect(String((await once(calm, "data"))[0])).toMatch(/^HTTP\/1.1 200 /);
  calm.end();
  await expect.poll(() => port.connections()).toBe(0);
});
