import type { WatchMessage } from "../event-stream.ts";
import { getMethod, type Endpoint } from "./endpoint.ts";

/** Watches all changes in a project through an endpoint. */
export interface Follower {
  /**
   * Reads until a message matches, and returns the messages read by this call. With `stay`, the watch does not reconnect, because a deleted
   * project cannot be watched again.
   */
  until(fits: (message: WatchMessage) => boolean, stay?: boolean): Promise<WatchMessage[]>;
  close(): void;
}

/** Starts watching after a resourceVersion. Closes and resumes the stream after every `leaveEvery` messages. */
export function follow(
  endpoint: Endpoint,
  options: { credential: string; project: string; from: string; leaveEvery: number },
): Follower {
  const { credential, project, leaveEvery } = options;
  const operation = getMethod("WatchProject");
  let resourceVersion = options.from;
  let controller = new AbortController();
  let stream: AsyncIterator<WatchMessage> | undefined;
  let count = 0;
  const next = async (stay: boolean): Promise<WatchMessage> => {
    if (stream !== undefined && !stay && count % leaveEvery === 0) {
      controller.abort();
      stream = undefined;
    }
    if (stream === undefined) {
      controller = new AbortController();
      const messages = endpoint.watch(
        { method: operation, request: { project, resourceVersion }, credential },
        controller.signal,
      );
      stream = messages[Symbol.asyncIterator]();
    }
    for (;;) {
      const { value, done } = await stream.next();
      if (done === true) throw new Error("the server ended the stream");
      resourceVersion = value.resourceVersion ?? resourceVersion;
      if (value.type === "BOOKMARK") continue;
      count += 1;
      return value;
    }
  };
  return {
    async until(fits, stay = false) {
      const messages: WatchMessage[] = [];
      do messages.push(await next(stay));
      while (!fits(messages.at(-1) as WatchMessage));
      return messages;
    },
    close: () => controller.abort(),
  };
}
