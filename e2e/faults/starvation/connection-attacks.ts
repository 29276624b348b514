import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Random } from "@cloudwright/platform/testing";
import type { Attack } from "./attack.ts";

/** Number of sockets that each attack keeps open. Sockets that the server closes are reopened. */
const sockets = 300;

/** Attacks that work without a credential: they occupy connections or violate the protocol. */
export const connectionAttacks: Readonly<Record<string, (attack: Attack, random: Random) => Promise<void>>> = {
  "slow headers": (attack, random) =>
    keepOpen(attack, async (socket) => {
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
      for (let nth = 0; !socket.destroyed; nth += 1) {
        await setTimeout(random.whole(200, 800));
        socket.write(`X-${nth}: ${nth}\r\n`);
      }
    }),
  "silent connections": (attack) => keepOpen(attack, closed),
  "protocol violations": (attack, random) =>
    keepOpen(attack, async (socket) => {
      socket.write(random.pick(violations)(attack, random));
      await setTimeout(random.whole(5, 50));
      socket.write(renderNoise(random, 4000));
      await setTimeout(random.whole(5, 200));
      if (random.chance(0.5)) socket.resetAndDestroy();
      else await closed(socket);
    }),
};

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** Renders the header of an HTTP/2 frame. The length may be wrong. */
function frame(length: number, type: number, flags: number, stream: number): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return head;
}

const violations: readonly ((attack: Attack, random: Random) => string | Buffer)[] = [
  (_attack, random) => renderNoise(random, 2000),
  () => "GET / HTTP/9.9\r\n\r\n",
  ({ path }) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nabcdefg`,
  ({ path }) => `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nzz\r\nabc`,
  ({ path }) => `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\n`,
  ({ path }) => `GET ${path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n`,
  ({ path }) => `CONNECT ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n`,
  () => `GET /${"a".repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  () => Buffer.concat([Buffer.from(preface), frame(16_777_215, 4, 0, 0)]),
  () => Buffer.concat([Buffer.from(preface), frame(0, 4, 0, 0), ...Array.from({ length: 500 }, () => frame(8, 6, 0, 0))]),
  () =>
    Buffer.concat([
      Buffer.from(preface),
      frame(0, 4, 0, 0),
      ...Array.from({ length: 500 }, (_, nth) => frame(4, 9, 0, 2 * nth + 1)),
    ]),
  (_attack, random) => preface.slice(0, random.whole(1, preface.length)),
];

async function keepOpen({ url }: Attack, use: (socket: Socket) => Promise<void>): Promise<void> {
  const { hostname, port } = new URL(url);
  const keep = async (): Promise<never> => {
    for (;;) {
      // The client ignores that the server has ended the connection, so the connection stays half-open unless the server closes it
      // completely.
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
      socket.on("error", () => undefined).resume();
      await use(socket).catch(() => undefined);
      socket.destroy();
      await setTimeout(10);
    }
  };
  await Promise.all(Array.from({ length: sockets }, keep));
}

function closed(socket: Socket): Promise<void> {
  return socket.closed ? Promise.resolve() : new Promise((resolve) => void socket.once("close", () => resolve()));
}

function renderNoise(random: Random, most: number): Buffer {
  return Buffer.from(Array.from({ length: random.whole(1, most) }, () => random.whole(0, 255)));
}
