import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { joinTestAgent } from "../testing/test-agent.ts";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

async function openSocket(): Promise<Socket> {
  const { hostname, port } = new URL(api.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.adminKey}\r\n\r\n`;

test("X063 a client that pipelines 2,000 requests over ten connections does not delay another client", async () => {
  const sockets = await Promise.all(Array.from({ length: 10 }, openSocket));
  let served = 0;
  for (const socket of sockets) {
    socket.on("data", (chunk: Buffer) => (served += chunk.toString("latin1").split("HTTP/1.1 200").length - 1));
    socket.write(request("/v1/whoami").repeat(200));
  }
  await expect.poll(() => served).toBeGreaterThan(0);
  const other = await api.createPerson("calm", [{ project: "default", role: "viewer" }]);
  for (let calls = 0; calls < 5; calls += 1)
    expect((await api.call("GET", "/v1/projects/default", { key: other.key })).status).toBe(200);
  expect(served).toBeLessThan(2000);
  for (const socket of sockets) socket.destroy();
});

test("X063 a connection is closed completely after an error response, even if the client keeps its side open", async () => {
  const countConnections = async (): Promise<number> =>
    Number(/^cloudwright_connections (\d+)$/m.exec((await api.call("GET", "/metrics")).text)?.[1]);
  const before = await countConnections();
  const sockets = await Promise.all(Array.from({ length: 20 }, openSocket));
  const answers = sockets.map((socket) => once(socket, "data"));
  for (const socket of sockets) socket.write("this is not HTTP\r\n\r\n");
  for (const [chunk] of await Promise.all(answers)) expect(String(chunk)).toMatch(/^HTTP\/1.1 400 /);
  await expect.poll(countConnections).toBeLessThanOrEqual(before);
  for (const socket of sockets) socket.destroy();
});

describe("X063 a malformed protobuf message", () => {
  const path = "/cloudwright.v1.ProjectService/GetProject";
  const garbage = Buffer.from([0xff, 0xff, 0xff, 0x01]);
  const framed = Buffer.concat([Buffer.from([0, 0, 0, 0, garbage.length]), garbage]);
  const send = (type: string, key: string | undefined): ReturnType<TestApi["send"]> => {
    const body = type === "application/proto" ? garbage : framed;
    return api.send({ method: "POST", path, key, body, headers: { "content-type": type } });
  };

  test("is not parsed before the caller is authenticated", async () => {
    const { status, body } = await send("application/proto", undefined);
    expect([status, body.code]).toEqual([401, "unauthenticated"]);
    const web = await send("application/grpc-web+proto", undefined);
    expect(web.text + String(web.headers["grpc-status"])).toMatch(/grpc-status: 16|^16$/);
  });

  test("is reported as the caller's error", async () => {
    const { status, body } = await send("application/proto", api.adminKey);
    expect([status, body.code]).toEqual([400, "invalid_argument"]);
    const web = await send("application/grpc-web+proto", api.adminKey);
    expect(web.text + String(web.headers["grpc-status"])).toMatch(/grpc-status: 3|^3$/);
  });
});

test("X063 heartbeats are served while other requests hold every database connection", async () => {
  const agent = await joinTestAgent(api, "system", "beating");
  const token = await agent.sign();
  const release = Promise.withResolvers<void>();
  const held = Array.from({ length: 16 }, () => api.pool.transaction(() => release.promise));
  const waiting = api.call("GET", "/v1/projects/default");
  const { status } = await api.send({ method: "POST", path: "/v1/worker/heartbeat", key: token, body: { tasks: [] } });
  release.resolve();
  await Promise.all(held);
  expect(status).toBe(200);
  expect((await waiting).status).toBe(200);
});

test("X063 heartbeats are served while many watchers do not read their streams, and these hold no database connection", async () => {
  const agent = await joinTestAgent(api, "system", "steady");
  const token = await agent.sign();
  const watcher = await api.createPerson("lazy", [{ project: "default", role: "viewer" }]);
  const watchers = async (): Promise<number> =>
    Number(/^cloudwright_watchers (\d+)$/m.exec((await api.call("GET", "/metrics")).text)?.[1]);
  const lazy = await Promise.all(Array.from({ length: 40 }, openSocket));
  for (const socket of lazy) {
    socket.pause();
    const path = "/v1/projects/default/agents?watch=true";
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${watcher.key}\r\n\r\n`);
  }
  await expect.poll(watchers).toBe(lazy.length);
  const text = "x".repeat(16_000);
  const annotations = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`a${index}`, text]));
  await api.must("POST", "/v1/projects/default/agents", { body: { metadata: { name: "talkative" } } });
  for (let round = 0; round < 10; round += 1) {
    const metadata = { annotations: { ...annotations, round: String(round) } };
    await api.must("PATCH", "/v1/projects/default/agents/talkative", { body: { metadata } });
    const beat = await api.send({ method: "POST", path: "/v1/worker/heartbeat", key: token, body: { tasks: [] } });
    expect(beat.status).toBe(200);
  }
  // Every connection of the pool is free, although the watchers have unread changes.
  const free = Array.from({ length: 16 }, () =>
    api.pool.transaction(async (database) => database.query({ text: "select 1", values: [] })),
  );
  expect(await Promise.all(free)).toHaveLength(16);
  for (const socket of lazy) socket.destroy();
  await expect.poll(watchers).toBe(0);
});

test("X063 the API port serves metrics only to callers with a role on the whole platform", async () => {
  const [viewer, stranger] = [
    await api.createPerson("wide", [{ project: "system", role: "viewer" }]),
    await api.createPerson("narrow", [{ project: "default", role: "owner" }]),
  ];
  const read = async (key: string | undefined): Promise<number> =>
    (await api.send({ method: "GET", path: "/metrics", key })).status;
  expect([await read(undefined), await read(stranger.key), await read(viewer.key)]).toEqual([401, 403, 200]);
});

test("X063 the OpenAPI document is sent compressed, and not at all to a client that already has it", async () => {
  const read = (headers: Record<string, string>): ReturnType<TestApi["send"]> =>
    api.send({ method: "GET", path: "/openapi.json", headers });
  const plain = await read({});
  expect(plain.headers["content-encoding"]).toBeUndefined();
  const { hostname, port } = new URL(api.url);
  const raw = await fetch(`http://${hostname}:${port}/openapi.json`, { headers: { "accept-encoding": "gzip" } });
  expect(raw.headers.get("content-encoding")).toBe("gzip");
  expect(await raw.text()).toBe(plain.text);
  for (const etag of [plain.headers.etag, raw.headers.get("etag")])
    expect((await read({ "if-none-match": String(etag) })).status).toBe(304);
  expect((await read({ "if-none-match": '"other"' })).status).toBe(200);
  expect((await read({ "accept-encoding": "gzip;q=0, *" })).headers["content-encoding"]).toBeUndefined();
});

describe("X063 a large request body", () => {
  const path = "/v1/projects/default/environments";
  const fill = (length: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length }, (_, nth) => [`k${nth}`, "v"]));

  test("is not parsed before the caller is authenticated", async () => {
    const body = Buffer.from("[".repeat(900_000));
    expect((await api.send({ method: "POST", path, body })).status).toBe(401);
    const chunked = { "transfer-encoding": "chunked", "content-type": "application/json" };
    expect((await api.send({ method: "POST", path, body, headers: chunked })).status).toBe(401);
    expect((await api.call("POST", path, { body })).status).toBe(400);
  });

  test("with many thousands of invalid or unknown fields is rejected, and the fault lists only a few of them", async () => {
    const labels = fill(15_000);
    const { status, body } = await api.call("POST", path, { body: { metadata: { name: "x", labels } } });
    expect([status, body.fields]).toEqual([400, [{ field: "metadata.labels", message: "must contain at most 64 entries" }]]);
    const unknown = await api.call("POST", path, { body: { metadata: { name: "x" }, ...labels } });
    expect([unknown.status, unknown.body.fields.length]).toEqual([400, 100]);
    const endless = await api.call("POST", path, { body: { metadata: { name: "x", labels: fill(50_000) } } });
    expect([endless.status, endless.body.code]).toEqual([400, "api.too_many_values"]);
  });
});
