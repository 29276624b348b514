import { Agent, request, type IncomingHttpHeaders } from "node:http";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A keep-alive HTTP connection authenticated by an API key. */
export interface Connection {
  send(method: string, path: string, body?: unknown): Promise<HttpAnswer>;
  close(): void;
}

/** Creates a connection that is opened by its first request. */
export function openConnection(url: string, key: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    send: (method, path, body) =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? undefined : JSON.stringify(body);
        const headers = {
          authorization: `Bearer ${key}`,
          ...(text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        };
        const sent = request(new URL(path, url), { method, agent, headers }, (answer) => {
          const chunks: Buffer[] = [];
          answer.on("data", (chunk: Buffer) => chunks.push(chunk));
          answer.on("error", reject);
          answer.on("end", () =>
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString("utf8") }),
          );
        });
        sent.on("error", reject);
        sent.end(text);
      }),
    close: () => agent.destroy(),
  };
}

/** Returns the response. Throws an error with the response body if the status is not one of the expected ones. */
export function expectStatus(answer: HttpAnswer, ...statuses: number[]): HttpAnswer {
  if (!statuses.includes(answer.status)) throw new Error(`unexpected status ${answer.status}: ${answer.body}`);
  return answer;
}
