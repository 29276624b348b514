import { request, type ClientRequest } from "node:http";

/** A change that a watcher received. */
export interface Delivery {
  /** Position of the change in the change log. */
  readonly position: string;
  readonly type: string;
}

/** A client of one server-sent event stream. It records everything it receives. */
export interface Watcher {
  readonly deliveries: readonly Delivery[];
  /** Error event with which the server ended the stream, if any. */
  readonly fault: string | undefined;
  /** Resolves once the server has accepted the watch request. */
  open(): Promise<void>;
  /** Drops the connection and resumes the watch after the last delivery. */
  resume(): Promise<void>;
  close(): void;
}

/** Creates a client that watches a path, starting after a resourceVersion. Calls `onDelivery` for each change. */
export function createWatcher(url: string, key: string, path: string, resourceVersion: string, onDelivery: () => void): Watcher {
  const deliveries: Delivery[] = [];
  let fault: string | undefined;
  let stream: ClientRequest | undefined;
  const receive = (event: string): void => {
    const type = /^event: (.*)$/m.exec(event)?.[1];
    const position = /^id: (.*)$/m.exec(event)?.[1];
    if (type === "ERROR") fault = event;
    if (type === undefined || position === undefined || type === "BOOKMARK" || type === "SYNCED") return;
    deliveries.push({ position, type });
    onDelivery();
  };
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const after = deliveries.at(-1)?.position ?? resourceVersion;
      const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream" };
      stream = request(new URL(`${path}?watch=true&resourceVersion=${after}`, url), { agent: false, headers });
      stream.on("error", reject);
      stream.on("response", (answer) => {
        if (answer.statusCode !== 200) return reject(new Error(`the watch request failed with status ${answer.statusCode}`));
        let rest = "";
        const own = stream;
        answer.setEncoding("utf8");
        answer.on("data", (chunk: string) => {
          if (own !== stream) return;
          const parts = (rest + chunk).split("\n\n");
          rest = parts.pop() ?? "";
          parts.forEach(receive);
        });
        answer.on("error", () => undefined);
        return resolve();
      });
      stream.end();
    });
  const close = (): void => {
    stream?.on("error", () => undefined);
    stream?.destroy();
    stream = undefined;
  };
  return {
    deliveries,
    get fault() {
      return fault;
    },
    open,
    async resume() {
      close();
      await open();
    },
    close,
  };
}
