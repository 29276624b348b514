import { randomBytes, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Random } from "@cloudwright/platform/testing";
import type { Attack } from "./attack.ts";

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const mebibyte = 1024 * 1024;

/** Attacks with valid credentials: requests that cost the server much more than the client. */
export const requestAttacks: Readonly<Record<string, (attack: Attack, random: Random) => Promise<void>>> = {
  "large lists": async (attack) => {
    await fillEnvironments(attack, 60);
    await repeat(32, () => send(attack, "GET", "/environments?pageSize=1000"));
  },
  "unread responses": async (attack) => {
    await fillEnvironments(attack, 60);
    await repeat(200, async () => {
      const socket = openUnread(attack, "/environments?pageSize=1000");
      await Promise.race([new Promise((resolve) => void socket.once("close", resolve)), setTimeout(60_000)]);
      socket.destroy();
    });
  },
  "unread RPC responses": async (attack, random) => {
    await fillEnvironments(attack, 60);
    const list = Buffer.from(JSON.stringify({ project: attack.project, pageSize: 1000 }));
    const framed = Buffer.concat([Buffer.from([0]), sizeOf(list), list]);
    await repeat(2, async () => {
      // With a flow-control window of zero bytes, the server cannot send a response body.
      const session = connectHttp2(attack.url, { settings: { initialWindowSize: 0 } });
      const closed = new Promise((resolve) => void session.on("error", () => undefined).once("close", resolve));
      for (let nth = 0; nth < 1000; nth += 1) {
        const isGrpc = random.whole(0, 1) === 1;
        const headers = {
          ":method": "POST",
          ":path": "/cloudwright.v1.EnvironmentService/ListEnvironments",
          authorization: `Bearer ${attack.key}`,
          "content-type": isGrpc ? "application/grpc+json" : "application/json",
          te: "trailers",
        };
        const stream = session.request(headers, { endStream: false });
        stream.on("error", () => undefined).end(isGrpc ? framed : list);
      }
      await Promise.race([closed, setTimeout(random.whole(5000, 60_000))]);
      session.destroy();
    });
  },
  "slow readers": async (attack, random) => {
    await fillEnvironments(attack, 10);
    for (let nth = 0; nth < 100; nth += 1) openUnread(attack, "/environments?watch=true");
    // Each change is sent to all watches.
    await repeat(2, () => patchEnvironment(attack, random.whole(0, 9)));
  },
  "large bodies": (attack, random) => repeat(32, () => send(attack, "POST", "/environments", random.pick(bodies)())),
  "compressed bodies": (attack, random) => {
    const bomb = gzipSync(Buffer.alloc(200 * mebibyte, 32));
    const types = ["application/json", "application/proto", "application/connect+proto", "application/grpc+proto"];
    return repeat(16, async () => {
      const headers = {
        "content-encoding": "gzip",
        "connect-content-encoding": "gzip",
        "grpc-encoding": "gzip",
        "content-type": random.pick(types),
      };
      const framed = Buffer.concat([Buffer.from([1]), sizeOf(bomb), bomb]);
      await send(attack, "POST", "/environments", bomb, headers);
      await post(attack, "/cloudwright.v1.ProjectService/GetProject", random.pick([bomb, framed]), headers);
    });
  },
  "malformed messages": (attack, random) =>
    repeat(32, () =>
      post(attack, "/cloudwright.v1.ProjectService/GetProject", randomBytes(random.whole(1, mebibyte)), {
        "content-type": random.pick(["application/proto", "application/grpc-web+proto", "application/connect+json"]),
      }),
    ),
  heartbeats: (attack) => {
    const tasks = Array.from({ length: 500 }, () => ({ uid: randomUUID(), leaseToken: randomUUID(), message: "x".repeat(500) }));
    const body = Buffer.from(JSON.stringify({ tasks }));
    const authorization = `Bearer ${attack.agentToken ?? ""}`;
    return repeat(64, () => post(attack, "/v1/worker/heartbeat", body, { authorization }));
  },
  "stalled uploads": async (attack, random) => {
    const { address, username, password } = attack.plan ?? { address: attack.url, username: "", password: "" };
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
    const { hostname, port, pathname } = new URL(address);
    const head = `PUT ${pathname} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n`;
    await repeat(60, async () => {
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
      socket.on("error", () => undefined).resume();
      socket.write(`${head}Content-Length: ${100 * mebibyte}\r\n\r\n{`);
      await Promise.race([new Promise((resolve) => void socket.once("close", resolve)), setTimeout(random.whole(500, 20_000))]);
      socket.destroy();
    });
  },
};

const bodies: readonly (() => Buffer)[] = [
  () => Buffer.from(`${"[".repeat(500_000)}${"]".repeat(500_000)}`),
  () => Buffer.from(`{"metadata":{"name":"x","labels":{${Array.from({ length: 60_000 }, (_, nth) => `"k${nth}":"v"`).join()}}}}`),
  () => Buffer.from(`{"metadata":{"name":"${"x".repeat(1_000_000)}"}}`),
  () => Buffer.from(`{"spec":${'{"a":'.repeat(60)}"${"\\u0000".repeat(150_000)}"${"}".repeat(60)}}`),
  () => Buffer.from(`[${"1e400,".repeat(160_000)}1]`),
  () => Buffer.alloc(2 * mebibyte, 32),
];

async function fillEnvironments(attack: Attack, count: number): Promise<void> {
  const annotations = Object.fromEntries(Array.from({ length: 10 }, (_, nth) => [`a${nth}`, "x".repeat(16_000)]));
  for (let nth = 0; nth < count; nth += 1)
    await send(attack, "POST", "/environments", Buffer.from(JSON.stringify({ metadata: { name: `large-${nth}`, annotations } })));
}

function patchEnvironment(attack: Attack, nth: number): Promise<void> {
  const body = Buffer.from(JSON.stringify({ metadata: { annotations: { a0: randomBytes(8000).toString("hex") } } }));
  return send(attack, "PATCH", `/environments/large-${nth}`, body);
}

/** Opens a stream and never reads it. */
function openUnread({ url, key, project }: Attack, path: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname });
  socket.on("error", () => undefined).pause();
  socket.write(`GET /v1/projects/${project}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}

async function repeat(inParallel: number, work: () => Promise<unknown>): Promise<void> {
  const loop = async (): Promise<never> => {
    for (;;) {
      await work().catch(() => undefined);
      await setTimeout(1);
    }
  };
  await Promise.all(Array.from({ length: inParallel }, loop));
}

function send(attack: Attack, method: string, path: string, body?: Buffer, headers: Record<string, string> = {}): Promise<void> {
  return exchange(attack, method, `/v1/projects/${attack.project}${path}`, body, headers);
}

function post(attack: Attack, path: string, body: Buffer, headers: Record<string, string>): Promise<void> {
  return exchange(attack, "POST", path, body, headers);
}

function exchange(
  { url, key }: Attack,
  method: string,
  path: string,
  body: Buffer | undefined,
  headers: Record<string, string>,
): Promise<void> {
  return new Promise((resolve) => {
    const length = body === undefined ? {} : { "content-type": "application/json", "content-length": body.length };
    const sent = request(
      new URL(path, url),
      { method, agent, headers: { authorization: `Bearer ${key}`, ...length, ...headers } },
      (answer) => {
        answer.resume().on("close", resolve);
      },
    );
    sent.on("error", () => resolve());
    sent.setTimeout(20_000, () => sent.destroy());
    sent.end(body);
  });
}

function sizeOf(body: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(body.length);
  return size;
}
