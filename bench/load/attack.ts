/**
 * A hostile client. It runs in a separate process, so that it does not delay the measuring client. Its argument is an `Attack` as JSON. It
 * attacks only loopback addresses and runs until it is killed.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { connect as connectHttp2, constants, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";

export const attackKinds = [
  "pipelined requests",
  "stream resets",
  "128 MiB plans",
  "2,000 idle streams",
  "2,000 unread Connect lists",
  "2,000 unread gRPC lists",
  "unread pipelines",
  "large Connect lists",
] as const;
export type AttackKind = (typeof attackKinds)[number];

export interface Attack {
  readonly kind: AttackKind;
  readonly url: string;
  readonly key: string;
  readonly path: string;
  /** The address at which plans are stored, and the credentials for it. */
  readonly plan?: { readonly address: string; readonly username: string; readonly password: string };
}

const pipelined = 2000;
const streams = 1000;
const sessions = 2;
/** Encoded in base64, this becomes a body of nearly 128 MiB. */
const parcelBytes = 95 * 1024 * 1024;

const attacks: Readonly<Record<AttackKind, (attack: Attack) => Promise<void>>> = {
  "pipelined requests": async ({ url, key, path }) => {
    const { hostname, port } = new URL(url);
    const text = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`.repeat(pipelined);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined).resume();
    await once(socket, "connect");
    while (!socket.destroyed) if (!socket.write(text)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
  },
  "stream resets": async ({ url, key, path }) => {
    const session = await openSession(url);
    while (!session.destroyed && !session.closed) {
      for (let nth = 0; nth < 100; nth += 1) {
        const stream = session.request({ ":path": path, authorization: `Bearer ${key}` });
        stream.on("error", () => undefined);
        stream.close(constants.NGHTTP2_CANCEL);
      }
      await setTimeout(1);
    }
  },
  "128 MiB plans": async ({ plan }) => {
    if (plan === undefined) throw new Error("the attack needs a run that may store a plan");
    const body = Buffer.from(
      JSON.stringify({ serial: 0, lineage: "", counts: {}, changes: [], parcel: randomBytes(parcelBytes).toString("base64") }),
    );
    const authorization = `Basic ${Buffer.from(`${plan.username}:${plan.password}`).toString("base64")}`;
    const headers = { authorization, "content-type": "application/json", "content-length": body.length };
    for (;;) await put(plan.address, headers, body);
  },
  "2,000 idle streams": async ({ url, key, path }) => {
    const opened = await Promise.all(Array.from({ length: sessions }, () => openSession(url)));
    for (const session of opened)
      for (let nth = 0; nth < streams; nth += 1)
        session
          .request(
            { ":method": "POST", ":path": path, authorization: `Bearer ${key}`, "content-type": "application/json" },
            { endStream: false },
          )
          .on("error", () => undefined)
          .resume();
    await Promise.all(opened.map((session) => once(session, "close")));
  },
  "2,000 unread Connect lists": (attack) => openUnreadLists(attack, "application/json"),
  "2,000 unread gRPC lists": (attack) => openUnreadLists(attack, "application/grpc+json"),
  "unread pipelines": async ({ url, key }) => {
    const { hostname, port } = new URL(url);
    const text = `GET ${listPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`.repeat(200);
    const opened = Array.from({ length: 100 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined).pause();
      socket.write(text);
      return socket;
    });
    await Promise.race([...opened.map((socket) => once(socket, "close")), setTimeout(5000)]);
    for (const socket of opened) socket.destroy();
  },
  "large Connect lists": async (attack) => {
    const session = await openSession(attack.url);
    const read = async (): Promise<void> => {
      while (!session.destroyed) {
        const stream = requestList(session, attack, "application/json").resume();
        await Promise.race([once(stream, "close"), once(session, "close")]);
      }
    };
    await Promise.all(Array.from({ length: 100 }, read));
  },
};

/** Path for listing large entities, which the benchmark creates beforehand. */
const listPath = "/v1/projects/default/environments?pageSize=1000";
const list = Buffer.from(JSON.stringify({ project: "default", pageSize: 1000 }));
const framedList = Buffer.concat([Buffer.from([0, 0, 0, 0, list.length]), list]);

async function openUnreadLists(attack: Attack, type: string): Promise<void> {
  const opened = await Promise.all(Array.from({ length: sessions }, () => openSession(attack.url, 0)));
  for (const session of opened) for (let nth = 0; nth < streams; nth += 1) requestList(session, attack, type);
  await Promise.all(opened.map((session) => once(session, "close")));
}

function requestList(session: ClientHttp2Session, { key }: Attack, type: string): ClientHttp2Stream {
  const path = "/cloudwright.v1.EnvironmentService/ListEnvironments";
  const headers = { ":method": "POST", ":path": path, authorization: `Bearer ${key}`, "content-type": type, te: "trailers" };
  const stream = session.request(headers, { endStream: false });
  stream.on("error", () => undefined).end(type === "application/json" ? list : framedList);
  return stream;
}

/** Opens a connection. With an initial window of zero bytes, the server cannot send response bodies. */
async function openSession(url: string, initialWindowSize = 65_535): Promise<ClientHttp2Session> {
  const session = connectHttp2(url, { settings: { initialWindowSize } });
  session.setMaxListeners(0);
  session.on("error", () => undefined);
  await once(session, "connect");
  return session;
}

function put(address: string, headers: Record<string, string | number>, body: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(address, { method: "PUT", headers }, (answer) => void answer.resume().on("end", resolve));
    sent.on("error", () => resolve());
    sent.end(body);
  });
}

if (import.meta.main) {
  const attack = JSON.parse(process.argv[2] ?? "") as Attack;
  if (!["127.0.0.1", "localhost"].includes(new URL(attack.url).hostname)) throw new Error("only loopback addresses are attacked");
  process.stdout.write("ready\n");
  for (;;) {
    await attacks[attack.kind](attack).catch(() => undefined);
    // If the server closes the connection, the attack continues on a new one.
    await setTimeout(10);
  }
}
