import { systemClock } from "@cloudwright/platform";
import { readEvents } from "../event-stream.ts";
import { waitUntil } from "../wait-until.ts";
import type { Target } from "./writers.ts";

/** A client that watches environments and reconnects whenever the stream breaks. */
export interface Watcher {
  /** The names of added environments, in order of arrival. */
  readonly added: readonly string[];
  /** Returns how many times the stream broke. */
  breaks(): number;
  /** Resolves once this many environments have been added. */
  saw(count: number): Promise<void>;
  close(): Promise<void>;
}

const againEveryMs = 20;

/** Starts a watch from the beginning of the change log. After each interruption it resumes at its last position. */
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
      state.failure = new Error(`the watch was rejected: ${response.status} ${await response.text()}`);
      return;
    }
    for await (const { id, data } of readEvents(response)) {
      if (data.type === "ADDED") added.push((data.object as { metadata: { name: string } }).metadata.name);
      position = id ?? position;
    }
  };
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted && state.failure === undefined) {
      // Any error leads to a reconnect.
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
      // Also waits for the first stream position, because without one a reconnect would start from the beginning.
      const isDone = (): boolean => added.length >= count && position !== undefined;
      await waitUntil(`${count} environments are seen`, () => isDone() || state.failure !== undefined);
      if (state.failure !== undefined) throw state.failure;
    },
    async close() {
      stop.abort();
      await running;
    },
  };
}
