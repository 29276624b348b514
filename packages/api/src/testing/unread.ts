import { once } from "node:events";
import { connect, type OutgoingHttpHeaders } from "node:http2";

/** Requests on one HTTP/2 connection whose responses the client does not read. */
export interface UnreadRequests {
  /** Returns the number of requests whose response has begun. */
  begun(): number;
  /** Reads all responses and returns their bodies as text. */
  read(): Promise<string[]>;
  close(): void;
}

/** Sends requests over HTTP/2 with a window of zero bytes, so that the server cannot send a response body. */
export async function sendUnread(
  url: string,
  requests: readonly { readonly headers: OutgoingHttpHeaders; readonly body?: Buffer }[],
): Promise<UnreadRequests> {
  const session = connect(url, { settings: { initialWindowSize: 0 } });
  session.on("error", () => undefined);
  await once(session, "connect");
  let begun = 0;
  const texts = requests.map(({ headers, body }) => {
    const stream = session.request(headers, { endStream: body === undefined });
    stream.on("response", () => (begun += 1)).on("error", () => undefined);
    if (body !== undefined) stream.end(body);
    return async (): Promise<string> => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString("latin1");
    };
  });
  return {
    begun: () => begun,
    async read() {
      await new Promise<void>((resolve) => session.settings({ initialWindowSize: 1024 * 1024 }, () => resolve()));
      return Promise.all(texts.map((text) => text()));
    },
    close: () => session.destroy(),
  };
}
