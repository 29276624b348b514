/**
 * Baseline for benchmark P9: a server that sends the body of each POST request to all clients of its event stream, with as little code as
 * possible. It stores nothing and checks nothing.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const streams = new Set<ServerResponse>();
let position = 0;

const server = createServer((request, response) => {
  void answer(request, response);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log(`bare-sse serves http://127.0.0.1:${(server.address() as AddressInfo).port}`);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "POST") return publish(request, response);
  if (request.url === "/metrics") return void response.end(`cloudwright_watchers ${streams.size}\n`);
  if (request.headers.accept !== "text/event-stream")
    return void response.end(JSON.stringify({ resourceVersion: `${position}` }));
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  streams.add(response);
  response.on("close", () => streams.delete(response));
}

async function publish(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  position += 1;
  const data = Buffer.concat(chunks).toString();
  const event = Buffer.from(`id: ${position}\nevent: ADDED\ndata: ${data}\n\n`);
  for (const stream of streams) stream.write(event);
  response.writeHead(202).end("{}");
}
