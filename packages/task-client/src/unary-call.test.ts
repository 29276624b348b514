import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  FinishTaskRequestSchema,
  FinishTaskResponseSchema,
  TaskService,
} from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { Code, ConnectError } from "@connectrpc/connect";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createUnaryCaller, type UnaryCaller } from "./unary-call.ts";

let server: Server;
let caller: UnaryCaller;
let answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;
const tokens = { token: async () => `token-${forgotten}`, learnTime: () => undefined, forget: () => void (forgotten += 1) };
let forgotten = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => answer(request, response, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  caller = createUnaryCaller({ server: `http://127.0.0.1:${port}/behind/a/proxy/`, version: "1.2.3", tokens });
});
afterAll(() => {
  caller.close();
  server.closeAllConnections();
  server.close();
});

const proto = { "content-type": "application/proto" };
const accepted = toBinary(FinishTaskResponseSchema, create(FinishTaskResponseSchema, { accepted: true }));
const finish = (options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<{ accepted: boolean }> =>
  caller.call(TaskService.method.finishTask, { uid: "task", outcome: "done" }, { timeoutMs: 10_000, ...options });
const fail = async (options: Parameters<typeof finish>[0] = {}): Promise<{ code: string; message: string }> => {
  const error = ConnectError.from(
    await finish(options).then(
      () => new Error("the call succeeded"),
      (reason: unknown) => reason,
    ),
  );
  return { code: Code[error.code], message: error.rawMessage };
};

test("M044 a call posts a binary message to a path under the server's base path and returns the response", async () => {
  let seen: object = {};
  answer = ({ url, method, headers }, response, body) => {
    const { uid, outcome } = fromBinary(FinishTaskRequestSchema, body);
    seen = { url, method, uid, outcome, agent: headers["user-agent"], timeout: headers["connect-timeout-ms"] };
    response.writeHead(200, proto).end(accepted);
  };
  expect((await finish({ timeoutMs: 1234.5 })).accepted).toBe(true);
  const url = "/behind/a/proxy/cloudwright.v1.TaskService/FinishTask";
  expect(seen).toEqual({ url, method: "POST", uid: "task", outcome: "done", agent: "cloudwright-agent/1.2.3", timeout: "1235" });
});

test("M044 a rejected token is replaced once, and a second rejection is reported", async () => {
  const seen: unknown[] = [];
  let valid = "";
  answer = ({ headers }, response) => {
    seen.push(headers.authorization);
    if (headers.authorization === valid) response.writeHead(200, proto).end(accepted);
    else response.writeHead(401, { "content-type": "application/json" }).end('{"code":"unauthenticated","message":"expired"}');
  };
  forgotten = 0;
  valid = "Bearer token-1";
  expect((await finish()).accepted).toBe(true);
  expect(seen).toEqual(["Bearer token-0", "Bearer token-1"]);
  valid = "none";
  expect(await fail()).toEqual({ code: "Unauthenticated", message: "expired" });
  expect(seen).toHaveLength(4);
});

test.each<[string, (response: ServerResponse) => void, { code: string; message: string }]>([
  [
    "an error from the server",
    (response) =>
      response.writeHead(400, { "content-type": "application/json" }).end('{"code":"invalid_argument","message":"bad"}'),
    { code: "InvalidArgument", message: "bad" },
  ],
  [
    "an error page from a proxy",
    (response) => response.writeHead(503).end("<html>"),
    { code: "Unavailable", message: "HTTP 503" },
  ],
  [
    "an error that is not JSON",
    (response) => response.writeHead(502, { "content-type": "application/json" }).end("<html>"),
    { code: "Unavailable", message: "HTTP 502" },
  ],
  [
    "a page instead of a message",
    (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
    { code: "Unknown", message: "unsupported content type text/html" },
  ],
])("X020 %s is an error, never an outcome", async (_, respond, expected) => {
  answer = (_request, response) => respond(response);
  expect(await fail()).toEqual(expected);
});

test("X020 an incomplete response is an error, never a result", async () => {
  answer = (_request, response) => {
    response.writeHead(200, { ...proto, "content-length": 100 }).write(accepted);
    setImmediate(() => response.destroy());
  };
  expect((await fail()).message).toMatch(/abort|closed|hang up|ECONNRESET/);
  answer = (_request, response) => response.destroy();
  expect((await fail()).message).toMatch(/hang up|closed|ECONNRESET/);
});

test("X020 a call that times out or is cancelled ends and closes its connection", async () => {
  const closed = new Set<string>();
  answer = (request, response) => response.once("close", () => closed.add(String(request.headers["connect-timeout-ms"])));
  expect(await fail({ timeoutMs: 50 })).toEqual({ code: "DeadlineExceeded", message: "the call timed out" });
  const abort = new AbortController();
  const calling = fail({ signal: abort.signal });
  abort.abort();
  expect(await calling).toEqual({ code: "Canceled", message: "the call was cancelled" });
  expect(await fail({ signal: abort.signal })).toEqual({ code: "Canceled", message: "the call was cancelled" });
  await expect.poll(() => closed.has("50")).toBe(true);
});
