import type { WatchMessage } from "../event-stream.ts";
import { getOperation, type Endpoint } from "./endpoint.ts";

/** Follows the changes of a project through a endpoint. */
export interface Follower {
  /** Reads on until a message fits; gives all that came. With `stay` it does not leave: it could not come back to what is gone. */
  until(fits: (message: WatchMessage) => boolean, stay?: boolean): Promise<WatchMessage[]>;
  close(): void;
}

/** Begins after a resourceVersion. After every so many messages the stream is left, and resumed where it was. */
export function follow(
  endpoint: Endpoint,
  options: { credential: string; project: string; from: string; leaveEvery: number },
): Follower {
  const { credential, project, leaveEvery } = options;
  const operation = getOperation("WatchProject");
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
      if (done === true) throw new Error("the stream ended by itself");
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
