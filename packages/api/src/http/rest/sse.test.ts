import { EventEmitter } from "node:events";
import type { FastifyReply } from "fastify";
import { expect, test } from "vitest";
import { Frame } from "../../watch/frame.ts";
import { openEventStream } from "./sse.ts";

const mebibyte = 1024 * 1024;

test("X063 a client does not get a larger buffer once it has read the initial entities of a watch", () => {
  const raw = Object.assign(new EventEmitter(), {
    writableLength: 0,
    chunkedEncoding: false,
    writeHead: () => undefined,
    write: (text: string) => (raw.writableLength += text.length),
  });
  const sink = openEventStream({ raw, hijack: () => undefined } as unknown as FastifyReply, "", "");
  const send = (resumable: boolean): void => sink.send([new Frame("ADDED", "Agent", "1", "x".repeat(mebibyte), resumable)]);
  for (let nth = 0; nth < 20; nth += 1) send(false);
  expect(sink.isSlow()).toBe(false);
  raw.writableLength = 0;
  expect(sink.isSlow()).toBe(false);
  for (let nth = 0; nth < 5; nth += 1) send(true);
  expect(sink.isSlow()).toBe(true);
});
