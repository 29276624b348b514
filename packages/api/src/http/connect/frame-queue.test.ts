import { Fault } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { apiFaults } from "../../faults.ts";
import { Frame } from "../../watch/frame.ts";
import { createFrameQueue } from "./frame-queue.ts";

function frames(count: number, resumable = true): Frame[] {
  return Array.from({ length: count }, (_, index) => new Frame("ADDED", "Agent", String(index), "{}", resumable));
}

test("X002 frames arrive in order, whether they were sent before or after reading starts", async () => {
  const { sink, frames: queue } = createFrameQueue();
  const reader = queue[Symbol.asyncIterator]();
  sink.send(frames(2));
  const versions = [await reader.next(), await reader.next()].map(({ value }) => (value as Frame).resourceVersion);
  const next = reader.next();
  sink.send([new Frame("SYNCED", "", "7", "")]);
  expect([...versions, ((await next).value as Frame).resourceVersion]).toEqual(["0", "1", "7"]);
});

test("X002 a reader is considered slow while it is many changes behind, but not once it has caught up", async () => {
  const { sink, frames: queue } = createFrameQueue();
  sink.send(frames(10_000));
  expect(sink.isSlow()).toBe(false);
  sink.send(frames(1));
  expect(sink.isSlow()).toBe(true);
  await queue[Symbol.asyncIterator]().next();
  expect(sink.isSlow()).toBe(false);
});

test("X002 the initial entities never make a reader slow, however many there are", () => {
  const { sink } = createFrameQueue();
  sink.send(frames(50_000, false));
  expect(sink.isSlow()).toBe(false);
});

test("X063 a reader is considered slow while more than 4 MiB of changes are unread, and the initial entities wait for it", async () => {
  const { sink, frames: queue } = createFrameQueue();
  const object = JSON.stringify({ text: "x".repeat(1024 * 1024) });
  const send = (resumable: boolean): void => sink.send([new Frame("ADDED", "Agent", "1", object, resumable)]);
  const reader = queue[Symbol.asyncIterator]();
  for (let nth = 0; nth < 4; nth += 1) send(false);
  expect([sink.fill() > 1, sink.isSlow()]).toEqual([true, false]);
  for (let nth = 0; nth < 4; nth += 1) await reader.next();
  expect(sink.fill()).toBe(0);
  for (let nth = 0; nth < 4; nth += 1) send(true);
  expect(sink.isSlow()).toBe(true);
  await reader.next();
  expect(sink.isSlow()).toBe(false);
});

test("X002 frames sent before the end are still read, then the fault is thrown", async () => {
  const { sink, frames: queue } = createFrameQueue();
  sink.send(frames(1));
  sink.end(new Fault(apiFaults.watch_too_slow, "too slow"));
  sink.end(new Fault(apiFaults.shutting_down, "sent too late"));
  const reader = queue[Symbol.asyncIterator]();
  expect((await reader.next()).done).toBe(false);
  await expect(reader.next()).rejects.toMatchObject({ code: "api.watch_too_slow" });
});

test("X063 the end of a watch is reported once, so that a client that does not read it can be disconnected", () => {
  let ends = 0;
  const { sink } = createFrameQueue(() => (ends += 1));
  sink.send(frames(1));
  expect(ends).toBe(0);
  sink.end(new Fault(apiFaults.watch_too_slow, "too slow"));
  sink.end(undefined);
  expect(ends).toBe(1);
});

test("X002 a watch that ends without a fault ends its stream without one", async () => {
  const { sink, frames: queue } = createFrameQueue();
  const reader = queue[Symbol.asyncIterator]();
  const next = reader.next();
  sink.end(undefined);
  expect((await next).done).toBe(true);
});
