import type { IncomingMessage } from "node:http";
import type { EntityJson } from "@cloudwright/contract";

/** A server-sent event from a watch. */
export interface StreamEvent {
  /** ADDED, MODIFIED, DELETED, SYNCED or ERROR. An ERROR event carries problem details. */
  readonly type: string;
  /** The position to resume from. Empty if the stream cannot be resumed from this event. */
  readonly id: string;
  readonly data: {
    readonly kind: string;
    readonly resourceVersion: string;
    readonly object: EntityJson;
    readonly code: string;
  };
}

/** Stands in for the entity in events that have none, such as SYNCED. */
const nothing: EntityJson = { metadata: {}, spec: {}, status: {} };

/** A watch stream opened by a test. */
export interface EventStream {
  /** Returns all events up to and including the first match. Throws if the stream ends before a match. */
  until(matches: (event: StreamEvent) => boolean): Promise<StreamEvent[]>;
  /** Returns all remaining events until the stream ends. */
  rest(): Promise<StreamEvent[]>;
  close(): void;
}

/** Parses the server-sent events in a response. */
export function readEventStream(response: IncomingMessage): EventStream {
  const events = parseEvents(response);
  return {
    async until(matches) {
      const seen: StreamEvent[] = [];
      for (;;) {
        const { value, done } = await events.next();
        if (done === true)
          throw new Error(`the stream ended after ${seen.length} events, the last: ${JSON.stringify(seen.at(-1))}`);
        seen.push(value);
        if (matches(value)) return seen;
      }
    },
    async rest() {
      const seen: StreamEvent[] = [];
      for await (const event of events) seen.push(event);
      return seen;
    },
    close: () => void response.destroy(),
  };
}

async function* parseEvents(response: IncomingMessage): AsyncGenerator<StreamEvent, void> {
  let text = "";
  response.setEncoding("utf8");
  for await (const chunk of response) {
    text += String(chunk);
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseEvent(block);
      // Bookmarks depend on timing, so they are hidden from tests.
      if (event !== undefined && event.type !== "BOOKMARK") yield event;
    }
  }
}

function parseEvent(block: string): StreamEvent | undefined {
  const lines = block.split("\n").filter((line) => !line.startsWith(":"));
  if (lines.length === 0) return undefined;
  const fields = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
  const data = JSON.parse(fields["data"] ?? "{}") as StreamEvent["data"];
  return { type: fields["event"] ?? "", id: fields["id"] ?? "", data: { ...data, object: { ...nothing, ...data.object } } };
}
