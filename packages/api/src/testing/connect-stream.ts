import { fromJson, toJson } from "@bufbuild/protobuf";
import type { Json, Method } from "@cloudwright/contract";
import { WatchEventSchema, type WatchEvent } from "@cloudwright/contract/gen/cloudwright/v1/requests_pb.ts";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import type { StreamEvent } from "./event-stream.ts";

type Watch = (request: Json, options: { headers: Record<string, string>; signal: AbortSignal }) => AsyncIterable<WatchEvent>;

/**
 * Opens a watch over Connect and yields its events in the format of a server-sent event stream. Throws if the stream ends with an
 * error.
 */
export async function* watchConnect(url: string, method: Method, message: Json, key: string): AsyncGenerator<StreamEvent, void> {
  const client = createClient(method.descriptor.parent, createConnectTransport({ baseUrl: url, httpVersion: "1.1" }));
  const watch = (client as unknown as Record<string, Watch>)[method.descriptor.localName];
  if (watch === undefined) throw new Error(`${method.id} is not a watch`);
  const abort = new AbortController();
  const request = fromJson(method.descriptor.input, message) as unknown as Json;
  try {
    for await (const event of watch(request, { headers: { authorization: `Bearer ${key}` }, signal: abort.signal })) {
      const data = { ...(toJson(WatchEventSchema, event) as object), code: "" } as unknown as StreamEvent["data"];
      yield { type: event.type, id: event.resourceVersion, data };
    }
  } finally {
    abort.abort();
  }
}
