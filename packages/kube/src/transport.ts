import { describeError, Fault, type Secret, trimEnd } from "@cloudwright/platform";
import { Agent, request as openRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import { kubeFaults } from "./faults.ts";
import { readError } from "./read-error.ts";

/** How to reach a cluster's API. */
export interface KubeAccess {
  /** `https://host:port`, with a path prefix where several clusters share a host. */
  readonly server: string;
  /** Certificate authorities trusted to sign the server's certificate. */
  readonly caPem: string;
  /** Returns the token to send. Called periodically, and again if the cluster rejects a token, because tokens may be short-lived. */
  token(): Promise<Secret>;
}

/** One request to the API. */
export interface KubeCall {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
  /** Describes the call in faults, such as `get Deployment kube-system/coredns`. */
  readonly what: string;
}

export interface KubeAnswer {
  readonly status: number;
  /** Size of the response body. */
  readonly bytes: number;
  readonly body: unknown;
}

/** Sends requests to the API of one cluster. */
export interface Transport {
  /** Returns the response, even if it is an error response. */
  ask(call: KubeCall): Promise<KubeAnswer>;
  /** Returns the body of the response. Throws a fault for an error response. */
  call(call: KubeCall): Promise<unknown>;
  /** Returns the status and at most `maxBytes` of the body as text, even if it is an error response. */
  peek(call: KubeCall, maxBytes: number): Promise<{ readonly status: number; readonly text: string }>;
  /** Returns the body of a long-running response as it arrives. */
  stream(call: KubeCall): Promise<AsyncIterable<string | Buffer>>;
  readonly limits: Pick<KubePatience, "listBytes">;
  close(): void;
}

/** Timeouts and size limits of the transport. */
export interface KubePatience {
  /** Maximum time to wait for the start of a response, and then for each further chunk. */
  readonly answerMs: number;
  /**
   * Maximum time without data in a long-running response. During a watch, servers send data at least once a minute. They end the watch
   * after 240 s.
   */
  readonly silentMs: number;
  /** Maximum size of a response. */
  readonly answerBytes: number;
  /** Maximum size of all pages of a list. */
  readonly listBytes: number;
}

// The administrator of a cluster controls what its API returns. A response must not exhaust the memory of an agent that several projects
// share. A page of 500 nodes takes about 10 MiB.
const usual: KubePatience = { answerMs: 30_000, silentMs: 300_000, answerBytes: 64 * 1024 ** 2, listBytes: 256 * 1024 ** 2 };
// Tokens are cached for this long, because fetching one can be slow. No cloud's tokens expire in less than 14 minutes.
const tokenMs = 60_000;

/** Creates the transport to one cluster. Tokens never appear in faults. */
export function createTransport(access: KubeAccess, patience: Partial<KubePatience> = {}): Transport {
  const { answerMs, silentMs, answerBytes, listBytes } = { ...usual, ...patience };
  const base = new URL(access.server);
  const prefix = trimEnd(base.pathname, "/");
  const agent = new Agent({ keepAlive: true, ca: access.caPem, maxSockets: 16 });

  let known: { readonly token: Promise<Secret>; readonly atMs: number } | undefined;

  function getToken(): Promise<Secret> {
    const nowMs = performance.now();
    if (known === undefined || nowMs - known.atMs > tokenMs) {
      const token = access.token();
      known = { token, atMs: nowMs };
      token.catch(() => (known = undefined));
    }
    return known.token;
  }

  /** If the server rejects a cached token, retries once with a new one, because the token may have just expired. */
  async function open(call: KubeCall, quietMs: number): Promise<IncomingMessage> {
    const isOld = known !== undefined;
    const answer = await send(call, quietMs);
    if (answer.statusCode !== 401) return answer;
    known = undefined;
    if (!isOld) return answer;
    answer.resume();
    return send(call, quietMs);
  }

  async function send(call: KubeCall, quietMs: number): Promise<IncomingMessage> {
    const token = (await getToken()).reveal();
    const query = Object.entries(call.query ?? {}).filter(([, value]) => value !== undefined);
    const pairs = query.map(([key, value]): [string, string] => [key, String(value)]);
    const search = new URLSearchParams(pairs).toString();
    const payload = call.body === undefined ? undefined : JSON.stringify(call.body);
    return new Promise((resolve, reject) => {
      const sent = openRequest(
        {
          agent,
          protocol: base.protocol,
          hostname: base.hostname.replace(/^\[|\]$/g, ""),
          port: base.port || 443,
          method: call.method,
          path: `${prefix}${call.path}${search === "" ? "" : `?${search}`}`,
          headers: {
            authorization: `Bearer ${token}`,
            accept: "application/json",
            "user-agent": "cloudwright",
            ...(payload === undefined
              ? {}
              : { "content-type": call.contentType ?? "application/json", "content-length": Buffer.byteLength(payload) }),
          },
          ...(call.signal === undefined ? {} : { signal: call.signal }),
        },
        resolve,
      );
      // A response that has started may take as long as it needs, provided that data keeps arriving.
      let begun: IncomingMessage | undefined;
      sent.setTimeout(answerMs, () => {
        const silent = new Error(begun === undefined ? `no response within ${answerMs / 1000} s` : "the response was cut off");
        (begun ?? sent).destroy(silent);
      });
      sent.once("response", (answer) => {
        begun = answer;
        sent.setTimeout(quietMs);
      });
      sent.once("error", reject);
      sent.end(payload);
    });
  }

  function toFault(call: KubeCall, error: unknown): unknown {
    if (call.signal?.aborted) return call.signal.reason;
    if (error instanceof Fault) return error;
    return new Fault(kubeFaults.unreachable, `${call.what}: ${base.host} did not respond: ${describeError(error)}`);
  }

  const transport: Transport = {
    async ask(call) {
      try {
        const answer = await open(call, answerMs);
        const content = await readWhole(call, answer, answerBytes);
        return { status: answer.statusCode ?? 0, bytes: content.length, body: parse(content.toString()) };
      } catch (error) {
        throw toFault(call, error);
      }
    },
    async call(call) {
      const { status, body } = await transport.ask(call);
      if (status >= 200 && status < 300) return body;
      throw readError(call.what, status, body);
    },
    async peek(call, maxBytes) {
      try {
        const answer = await open(call, answerMs);
        return { status: answer.statusCode ?? 0, text: await readStart(answer, maxBytes) };
      } catch (error) {
        throw toFault(call, error);
      }
    },
    async stream(call) {
      try {
        const answer = await open(call, silentMs);
        const status = answer.statusCode ?? 0;
        if (status < 200 || status >= 300) throw readError(call.what, status, parse(await readStart(answer, maxErrorBytes)));
        return answer;
      } catch (error) {
        throw toFault(call, error);
      }
    },
    limits: { listBytes },
    close: () => agent.destroy(),
  };
  return transport;
}

const maxErrorBytes = 65_536;

async function readWhole({ what }: KubeCall, answer: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    // Throwing closes the connection.
    if (size > mostBytes) throw tooLarge(what, mostBytes);
  }
  return Buffer.concat(parts);
}

/** Returns the fault for a response that exceeds the size limit. */
export function tooLarge(what: string, mostBytes: number): Fault {
  return new Fault(kubeFaults.too_large, `${what}: the response is larger than ${mostBytes} bytes`);
}

async function readStart(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    // Leaving the loop closes the connection.
    if (size >= maxBytes) break;
  }
  return Buffer.concat(parts).subarray(0, maxBytes).toString();
}

// Some endpoints, such as /readyz, respond in plain text.
function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
