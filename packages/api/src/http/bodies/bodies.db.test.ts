import { once } from "node:events";
import { connect as connectHttp2, type ClientHttp2Session } from "node:http2";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { DriftSimulatedRecordRequestSchema } from "@cloudwright/contract/gen/cloudwright/v1/simulator_pb.ts";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTestApi, type Person, type TestApi } from "../../testing/test-api.ts";
import type { TestAnswer } from "../../testing/http-call.ts";

const kibibyte = 1024;
const path = "/v1/projects/default/environments";
let api: TestApi;
let greedy: Person;
let calm: Person;

beforeAll(async () => {
  api = await startTestApi({ bodies: { perCaller: 100 * kibibyte, total: 1024 * kibibyte } });
  greedy = await api.createPerson("greedy", [{ project: "default", role: "editor" }]);
  calm = await api.createPerson("calm", [{ project: "default", role: "editor" }]);
});
afterAll(() => api.close());

const countBytes = async (): Promise<number> =>
  Number(/^cloudwright_request_body_bytes (\d+)$/m.exec((await api.call("GET", "/metrics")).text)?.[1]);

/** Starts a request and sends only a part of its body. */
async function stall(key: string | undefined, announced: number, sent: number, to = path): Promise<Socket> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  const authorization = key === undefined ? "" : `Authorization: Bearer ${key}\r\n`;
  socket.write(`POST ${to} HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\n`);
  socket.write(`Content-Length: ${announced}\r\n\r\n${" ".repeat(sent)}`);
  return socket;
}

const answerTo = async (socket: Socket): Promise<string> => String((await once(socket, "data"))[0]);

describe("X063 bodies that are being received", () => {
  test("count against their caller, whose further bodies get 429; other callers are served, and nothing remains counted afterwards", async () => {
    const stalled = await Promise.all([stall(greedy.key, 60_000, 40_000), stall(greedy.key, 60_000, 40_000)]);
    await expect.poll(countBytes).toBe(80_000);
    const refused = await answerTo(await stall(greedy.key, 60_000, 1));
    expect(refused).toMatch(/^HTTP\/1.1 429 .*\r\nretry-after: 1\r\n.*api.bodies_busy/is);
    const metadata = { annotations: { note: "x".repeat(15_000) } };
    for (const name of ["one", "two"])
      expect((await api.call("POST", path, { key: calm.key, body: { metadata: { ...metadata, name } } })).status).toBe(201);
    for (const socket of stalled) socket.destroy();
    await expect.poll(countBytes).toBe(0);
    const last = await api.call("POST", path, { key: greedy.key, body: { metadata: { ...metadata, name: "three" } } });
    expect([last.status, await countBytes()]).toEqual([201, 0]);
  });

  test("of unknown length count while they arrive", async () => {
    const body = Buffer.alloc(200 * kibibyte, " ");
    const headers = { "transfer-encoding": "chunked" };
    const { status, body: problem } = await api.call("POST", path, { key: greedy.key, body, headers });
    expect([status, problem.code]).toEqual([429, "api.bodies_busy"]);
    await expect.poll(countBytes).toBe(0);
  });

  test("are not received at all if the sender was not admitted", async () => {
    expect(await answerTo(await stall(greedy.key, 60_000, 1, "/v1/unknown"))).toMatch(/^HTTP\/1.1 404 /);
    expect(await answerTo(await stall(undefined, 60_000, 1))).toMatch(/^HTTP\/1.1 401 /);
    expect(await countBytes()).toBe(0);
  });
});

/** Uses up all of a caller's turns with responses that the caller does not read. */
async function takeTurns(key: string): Promise<ClientHttp2Session> {
  const session = connectHttp2(api.url, { settings: { initialWindowSize: 0 } });
  onTestFinished(() => session.destroy());
  session.on("error", () => undefined);
  await once(session, "remoteSettings");
  const streams = Array.from({ length: 16 }, () => session.request({ ":path": "/v1/whoami", authorization: `Bearer ${key}` }));
  await Promise.all(
    streams.map((stream) =>
      once(
        stream.on("error", () => undefined),
        "response",
      ),
    ),
  );
  return session;
}

test("X063 requests queued behind unread responses keep their bodies unparsed, and are refused once the bodies take too much memory", async () => {
  const session = await takeTurns(greedy.key);
  const order: string[] = [];
  const send = async (): Promise<void> => {
    const { status, body } = await api.call("POST", path, { key: greedy.key, body: Buffer.from("[".repeat(30_000)) });
    order.push(`${status} ${body.code}`);
  };
  const sent = Array.from({ length: 10 }, send);
  await expect.poll(() => order.length).toBe(7);
  expect(await countBytes()).toBe(90_000);
  order.push("the turns are free");
  session.destroy();
  await Promise.all(sent);
  const refused = Array.from({ length: 7 }, () => "429 api.bodies_busy");
  expect(order).toEqual([...refused, "the turns are free", ...Array.from({ length: 3 }, () => "400 api.too_many_values")]);
  expect(await countBytes()).toBe(0);
});

describe("X063 a message over Connect or gRPC", () => {
  const method = "/cloudwright.v1.SimulatorService/DriftSimulatedRecord";
  const fields = { project: "default", name: "x", type: "t", id: "i" };
  const fill = (values: number): { a: object[] } => ({ a: Array.from({ length: values }, () => ({})) });
  const frame = (flags: number, message: Uint8Array): Buffer => {
    const head = Buffer.from([flags, 0, 0, 0, 0]);
    head.writeUInt32BE(message.length, 1);
    return Buffer.concat([head, message]);
  };
  const protocols: [string, Record<string, string>, (values: number) => Buffer][] = [
    ["JSON", { "content-type": "application/json" }, (values) => Buffer.from(renderJson(values))],
    [
      "compressed JSON",
      { "content-type": "application/json", "content-encoding": "gzip" },
      (values) => gzipSync(renderJson(values)),
    ],
    ["binary", { "content-type": "application/proto" }, renderBinary],
    ["gRPC-web", { "content-type": "application/grpc-web+proto" }, (values) => frame(0, renderBinary(values))],
    [
      "compressed gRPC-web",
      { "content-type": "application/grpc-web+proto", "grpc-encoding": "gzip" },
      (values) => frame(1, gzipSync(renderBinary(values))),
    ],
  ];
  function renderJson(values: number): string {
    return JSON.stringify({ ...fields, attributes: fill(values) });
  }
  function renderBinary(values: number): Buffer {
    return Buffer.from(
      toBinary(
        DriftSimulatedRecordRequestSchema,
        create(DriftSimulatedRecordRequestSchema, { ...fields, attributes: fill(values) as never }),
      ),
    );
  }
  const readCode = ({ text, headers }: TestAnswer): string =>
    /api\.\w+/.exec(text + Buffer.from(String(headers["grpc-status-details-bin"] ?? ""), "base64").toString("latin1"))?.[0] ??
    /api\.\w+/.exec(Buffer.from(/grpc-status-details-bin: (\S+)/.exec(text)?.[1] ?? "", "base64").toString("latin1"))?.[0] ??
    text;

  test.each(protocols)("%s: is counted with the memory that its values take", async (_, headers, render) => {
    const send = async (values: number): Promise<string> =>
      readCode(await api.send({ method: "POST", path: method, key: greedy.key, body: render(values), headers }));
    expect([await send(100), await send(2000)]).toEqual(["api.not_found", "api.bodies_busy"]);
    await expect.poll(countBytes).toBe(0);
  });

  test.each(protocols)("%s: with too many values is refused whatever else the caller sends", async (_, headers, render) => {
    const roomy = await startTestApi();
    onTestFinished(() => roomy.close());
    const answer = await roomy.send({ method: "POST", path: method, key: roomy.adminKey, body: render(21_000), headers });
    expect(readCode(answer)).toBe("api.too_many_values");
  });
});
