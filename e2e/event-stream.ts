/** One message of a watch. */
export interface WatchMessage {
  readonly type: string;
  readonly kind?: string;
  readonly resourceVersion?: string;
  readonly object?: { readonly [name: string]: unknown };
}

/** A server-sent event before its data is parsed. */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: WatchMessage;
}

/** Parses server-sent events without the product's own client. Breaking out of the loop closes the connection. */
export async function* readEvents(response: Response): AsyncGenerator<StreamEvent, void> {
  if (response.body === null) throw new Error("the response has no body");
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = new Map(block.split("\n").map((line) => [line.split(": ", 1)[0] ?? "", line.slice(line.indexOf(": ") + 2)]));
      const data = fields.get("data");
      if (data !== undefined) {
        yield { id: fields.get("id"), event: fields.get("event") ?? "", data: JSON.parse(data) as WatchMessage };
      }
    }
  }
}
