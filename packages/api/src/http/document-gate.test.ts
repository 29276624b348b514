import { createLogger, createManualClock } from "@cloudwright/platform";
import type { FastifyInstance } from "fastify";
import { connect, type AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { servePipelines } from "./connection-turns.ts";
import { createDocumentGate } from "./document-gate.ts";
import { createHttpApp } from "./http-app.ts";
import { createMetrics } from "./metrics.ts";
import { registerSite } from "./site/routes.ts";
import { registerSystemRoutes } from "./system-routes.ts";
import type { Tokens } from "../identity/tokens.ts";

const asset = { content: Buffer.alloc(200_000), gzipped: undefined, type: "text/javascript", lasting: true };
const site = { renderPage: () => ({ status: 200, html: "<html>" }), findAsset: () => asset };
const documents = ["/openapi.json", "/docs", "/docs/errors", "/.well-known/jwks.json", "/", "/sign-in", "/assets/a.js"];

function createApp(): { app: FastifyInstance; clock: ReturnType<typeof createManualClock> } {
  const clock = createManualClock();
  const gate = createDocumentGate({ clock }, { perSecond: 10, burst: 100 });
  const metrics = createMetrics({ watchers: () => 0, connections: () => 0, bodyBytes: () => 0 });
  const app = createHttpApp({ log: createLogger({ level: "silent", name: "test" }), clock, metrics });
  onTestFinished(() => app.close());
  const system = {
    metrics,
    admitScraper: () => Promise.resolve(),
    version: "0",
    isReady: () => Promise.resolve(true),
    home: false,
  };
  registerSystemRoutes(app, { tokens: { jwks: () => ({ keys: [] }) } as unknown as Tokens, gate }, system);
  registerSite(app, site, gate);
  return { app, clock };
}

test.each(documents)(
  "X071 an address that reads %s too often is rejected for a while, and other addresses are not",
  async (url) => {
    const { app, clock } = createApp();
    const read = (remoteAddress: string) => app.inject({ url, remoteAddress });
    let count = 0;
    while ((await read("192.0.2.1")).statusCode === 200) count += 1;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(100);
    expect((await read("::ffff:192.0.2.1")).statusCode).toBe(429);
    expect((await read("192.0.2.2")).statusCode).toBe(200);
    expect((await app.inject({ url: "/healthz", remoteAddress: "192.0.2.1" })).statusCode).toBe(200);
    clock.advance(60_000);
    expect((await read("192.0.2.1")).statusCode).toBe(200);
  },
);

test("X071 large documents count more than small or unchanged ones", async () => {
  const { app } = createApp();
  const { headers } = await app.inject({ url: "/openapi.json", remoteAddress: "192.0.2.3" });
  const count = async (remoteAddress: string, given: Record<string, string>): Promise<number> => {
    let times = 0;
    while ((await app.inject({ url: "/openapi.json", remoteAddress, headers: given })).statusCode < 400) times += 1;
    return times;
  };
  const unchanged = await count("192.0.2.4", { "if-none-match": String(headers.etag) });
  const packed = await count("192.0.2.5", { "accept-encoding": "gzip" });
  const plain = await count("192.0.2.6", {});
  expect(unchanged).toBe(100);
  expect(plain).toBeLessThan(packed);
  expect(packed).toBeLessThanOrEqual(unchanged);
});

test("X071 a pipeline of requests for documents ends with the first rejected one", async () => {
  const { app } = createApp();
  await app.listen({ host: "127.0.0.1", port: 0 });
  const [dispatch] = app.server.listeners("request") as Parameters<typeof servePipelines>;
  app.server.removeAllListeners("request");
  app.server.on("request", servePipelines(dispatch));
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const received: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  socket.write("GET /docs/errors HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n\r\n".repeat(250));
  await new Promise((resolve) => socket.once("close", resolve));
  const text = Buffer.concat(received).toString("latin1");
  const statuses = Array.from(text.matchAll(/^HTTP\/1\.1 (\d+)/gm), ([, status]) => status);
  expect(statuses.filter((status) => status === "304")).toHaveLength(100);
  expect(statuses.filter((status) => status === "429")).toHaveLength(1);
});
