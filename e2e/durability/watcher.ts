import { systemClock } from "@cloudwright/platform";
import { readEvents } from "../event-stream.ts";
import { waitUntil } from "../wait-until.ts";
import type { Target } from "./writers.ts";

/** A client that watches environments and comes back after every break. */
export interface Watcher {
  /** Names that were added, in the order they came. */
  readonly added: readonly string[];
  /** How often the stream broke off. */
  breaks(): number;
  /** Resolves when so many were added. */
  saw(count: number): Promise<void>;
  close(): Promise<void>;
}

const againEveryMs = 20;

/** Watches from the beginning, and from the last position after each break. */
export function startWatcher(target: () => Target): Watcher {
  const added: string[] = [];
  const stop = new AbortController();
  let position: string | undefined;
  let breaks = 0;
  const state: { failure?: Error } = {};

  const watchOnce = async (): Promise<void> => {
    const { address, adminKey } = target();
    const headers = { authorization: `Bearer ${adminKey}`, ...(position === undefined ? {} : { "last-event-id": position }) };
    const response = await fetch(`${address}/v1/projects/default/environments?watch=true`, { headers, signal: stop.signal });
    if (response.status === 503) return void (await response.text());
    if (!response.ok) {
      state.failure = new Error(`the watch was refused: ${response.status} ${await response.text()}`);
      return;
    }
    for await (const { id, data } of readEvents(response)) {
      if (data.type === "ADDED") added.push((data.object as { metadata: { name: string } }).metadata.name);
      position = id ?? position;
    }
  };
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted && state.failure === undefined) {
      // Whatever broke it, the answer is to come back.
      await watchOnce().catch(() => undefined);
      breaks += 1;
      await systemClock.sleep(againEveryMs);
    }
  };
  const running = run();
  return {
    added,
    breaks: () => breaks,
    async saw(count) {
      await waitUntil(`${count} environments are seen`, () => added.length >= count || state.failure !== undefined);
      if (state.failure !== undefined) throw state.failure;
    },
    async close() {
      stop.abort();
      await running;
    },
  };
}
