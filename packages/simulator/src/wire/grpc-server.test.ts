import { mkdtempSync, rmSync } from "node:fs";
import { connect, type ClientHttp2Session } from "node:http2";
import { connect as connectSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSelfSigned } from "./certificate.ts";
import { dropped, listenGrpc, type GrpcMethod } from "./grpc-server.ts";

let folder: string;
let closers: (() => unknown)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "grpc-"));
  closers = [];
});

afterEach(async () => {
  for (const close of closers) await close();
  rmSync(folder, { recursive: true });
});

const methods: Record<string, GrpcMethod> = {
  "/echo": async (request) => request,
  "/lost": async () => dropped,
  "/throws": async () => {
    throw new Error("100 % broken");
  },
};

const frame = (text: string): Buffer => Buffer.concat([Buffer.from([0, 0, 0, 0, Buffer.byteLength(text)]), Buffer.from(text)]);

async function listen(tls?: { keyPem: string; certificatePem: string; clientPem: string }): Promise<string> {
  const socket = join(folder, "s");
  const server = await listenGrpc({ methods: new Map(Object.entries(methods)), silent: new Set(["/silent"]) }, { socket, tls });
  closers.unshift(() => server.close());
  return socket;
}

function open(socket: string): ClientHttp2Session {
  const client = connect("http://localhost", { createConnection: () => connectSocket(socket) });
  client.on("error", () => {});
  closers.unshift(() => client.destroy());
  return client;
}

interface Answer {
  status: unknown;
  message: unknown;
  body: Buffer;
  reset: number;
}

function call(client: ClientHttp2Session, path: string, body: Buffer): Promise<Answer> {
  return new Promise((resolve) => {
    const stream = client.request({ ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" });
    const answer: Answer = { status: undefined, message: undefined, body: Buffer.alloc(0), reset: 0 };
    const note = (headers: Record<string, unknown>): void => {
      answer.status ??= headers["grpc-status"];
      answer.message ??= headers["grpc-message"];
    };
    stream.on("response", note);
    stream.on("trailers", note);
    stream.on("data", (chunk: Buffer) => (answer.body = Buffer.concat([answer.body, chunk])));
    stream.on("error", () => {});
    stream.on("close", () => resolve({ ...answer, reset: stream.rstCode }));
    stream.end(body);
  });
}

test("a call is answered with one message and a status", async () => {
  expect(await call(open(await listen()), "/echo", frame("hello"))).toEqual({
    status: "0",
    message: undefined,
    body: frame("hello"),
    reset: 0,
  });
});

test("unknown methods, exceptions and malformed messages each have their own status", async () => {
  const client = open(await listen());
  expect(await call(client, "/unknown", frame(""))).toMatchObject({ status: "12" });
  expect(await call(client, "/throws", frame(""))).toMatchObject({ status: "13", message: "100%20%25%20broken" });
  expect(await call(client, "/echo", Buffer.from("rubbish"))).toMatchObject({ status: "13" });
});

test("a lost reply resets the stream, and the connection stays usable", async () => {
  const client = open(await listen());
  expect(await call(client, "/lost", frame(""))).toMatchObject({ status: undefined, reset: 2 });
  expect(await call(client, "/echo", frame("still there"))).toMatchObject({ status: "0" });
});

test("closing the server ends connections, even during a silent stream", async () => {
  const socket = await listen();
  const silent = call(open(socket), "/silent", frame(""));
  await call(open(socket), "/echo", frame("the silent one was before"));
  await closers.at(-1)?.();
  expect((await silent).status).toBeUndefined();
  closers.pop();
});

test("over TLS, only the client with the expected certificate can connect", async () => {
  const [own, client, stranger] = [1, 2, 3].map(() => createSelfSigned(Date.now()));
  if (own === undefined || client === undefined || stranger === undefined) throw new Error("no certificates");
  const socket = await listen({ ...own, clientPem: client.certificatePem });
  const openTls = (who: typeof own): ClientHttp2Session => {
    const options = {
      key: who.keyPem,
      cert: who.certificatePem,
      ca: own.certificatePem,
      servername: "localhost",
      ALPNProtocols: ["h2"],
    };
    const session = connect("https://localhost", { createConnection: () => connectTls({ ...options, path: socket }) });
    session.on("error", () => {});
    closers.unshift(() => session.destroy());
    return session;
  };
  expect(await call(openTls(client), "/echo", frame("hello"))).toMatchObject({ status: "0", body: frame("hello") });
  expect(await call(openTls(stranger), "/echo", frame("hello"))).toMatchObject({ status: undefined, body: Buffer.alloc(0) });
});
