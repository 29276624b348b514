import { createManualClock, systemClock } from "@cloudwright/platform/clock";
import { expect, test } from "vitest";
import { readServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";

async function read(...chunks: Uint8Array[]): Promise<ServerSentEvent[]> {
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => {
      for (const chunk of chunks) stream.enqueue(chunk);
      stream.close();
    },
  });
  const events: ServerSentEvent[] = [];
  for await (const event of readServerSentEvents(body, { clock: systemClock, silenceMs: 60_000 })) events.push(event);
  return events;
}

test("X002 events survive any split of the bytes, even inside a character", async () => {
  const bytes = new TextEncoder().encode(
    'id: 7\nevent: ADDED\ndata: {"name":"zürich"}\n\n: ping\n\ndata: two\r\ndata: lines\r\n\r\n',
  );
  const whole = [
    { id: "7", event: "ADDED", data: '{"name":"zürich"}' },
    { id: undefined, event: "message", data: "two\nlines" },
  ];
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(await read(bytes.slice(0, cut), bytes.slice(cut))).toEqual(whole);
  }
});

test("X002 an incomplete event is not delivered", async () => {
  expect(await read(new TextEncoder().encode("data: half"))).toEqual([]);
});

test("X002 a stream that is silent for too long is treated as broken", async () => {
  const clock = createManualClock();
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
  const next = readServerSentEvents(body, { clock, silenceMs: 60_000 }).next();
  clock.advance(60_000);
  await expect(next).rejects.toMatchObject({ code: "client.unreachable" });
  expect(cancelled).toBe(true);
});

test("X002 an aborted signal ends the reading of a stream that keeps sending bookmarks, even if the request lost the signal", async () => {
  const bookmark = new TextEncoder().encode("event: BOOKMARK\ndata: {}\n\n");
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: async (stream) => {
      await systemClock.sleep(5);
      stream.enqueue(bookmark);
    },
    cancel: () => void (cancelled = true),
  });
  const abort = new AbortController();
  const events: ServerSentEvent[] = [];
  const reading = (async () => {
    for await (const event of readServerSentEvents(body, { clock: systemClock, silenceMs: 60_000, signal: abort.signal })) {
      events.push(event);
      if (events.length === 3) abort.abort(new Error("the time limit has passed"));
    }
  })();
  await expect(reading).rejects.toThrow("the time limit has passed");
  expect(events).toHaveLength(3);
  expect(cancelled).toBe(true);
});
