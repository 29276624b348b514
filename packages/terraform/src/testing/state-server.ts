import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A minimal HTTP state backend for Terraform's client. */
export interface StateServer {
  readonly address: string;
  state(): string | undefined;
  lock(): string | undefined;
  /** Makes requests with these HTTP methods fail with status 500 from now on. */
  refuse(methods: readonly string[]): void;
  credentials(): ReadonlySet<string>;
}

/** Starts a server that stops after the test. */
export async function startStateServer(): Promise<StateServer> {
  let state: string | undefined;
  let lock: string | undefined;
  let refused: readonly string[] = [];
  const credentials = new Set<string>();
  const answer = async (request: IncomingMessage): Promise<[number, string]> => {
    const body = await text(request);
    credentials.add(request.headers.authorization ?? "none");
    if (refused.includes(request.method ?? "")) return [500, ""];
    switch (request.method) {
      case "LOCK":
        if (lock !== undefined) return [423, lock];
        lock = body;
        return [200, ""];
      case "UNLOCK":
        lock = undefined;
        return [200, ""];
      case "POST":
        state = body;
        return [200, ""];
      default:
        return state === undefined ? [204, ""] : [200, state];
    }
  };
  const server = createServer((request, response) => {
    void answer(request).then(([status, body]) => response.writeHead(status).end(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/state`,
    state: () => state,
    lock: () => lock,
    refuse: (methods) => (refused = methods),
    credentials: () => credentials,
  };
}
