import { backOffMs, spreadMs } from "@cloudwright/platform/back-off";
import { systemClock, type Clock } from "@cloudwright/platform/clock";
import { Fault } from "@cloudwright/platform/fault";
import { joinSignals } from "@cloudwright/platform/join-signals";
import { trimEnd } from "@cloudwright/platform/trim-end";
import { clientFaults } from "./faults.ts";
import { readProblem } from "./problem.ts";

/** The server's address, the caller's credentials, and dependencies that tests can replace. */
export interface ClientOptions {
  /** The server's URL, such as `http://127.0.0.1:8480`. */
  readonly server: string;
  /** An API key or a signed token. If a function is given, it is called before each request. */
  readonly apiKey?: string | (() => string) | undefined;
  readonly fetch?: typeof globalThis.fetch;
  readonly userAgent?: string;
  /** Maximum number of retries per request. Default: 4. */
  readonly retries?: number;
  /** The time limit for one attempt. Default: 60 s. Streams have no time limit. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  /** Called for each warning in a response, such as a policy finding that does not block the change. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

/** A request to send. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** A list is sent as one comma-separated parameter. */
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Called with the name of the operation, if the response names one. */
  readonly onAccepted?: ((operation: string) => void) | undefined;
  /** Called for each warning in the response. Default: the client's `onWarning`. */
  readonly onWarning?: ((warning: string) => void) | undefined;
  /** True if the request may be repeated when it is unknown whether the server processed it. */
  readonly replayable: boolean;
}

/** Sends requests, retries them where that is safe, and converts every failure into a fault. */
export interface Transport {
  send<Answer>(call: Call): Promise<Answer>;
  /** Opens a stream of server-sent events. The caller must read or cancel it. */
  open(call: Call): Promise<ReadableStream<Uint8Array>>;
  readonly clock: Clock;
}

const defaultRetries = 4;
const backOff = { firstMs: 150, longestMs: 5000 };

/** Codes of errors that occur before a request reaches a server. After such an error, any request can be retried. */
const neverSent = new Set(["ECONNREFUSED", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

/** Returns the delay before the next attempt. The delay is randomized, so that many clients do not reconnect at the same time. */
export function pauseMs(attempt: number): number {
  return spreadMs(backOffMs(backOff, attempt));
}

export function createTransport(options: ClientOptions): Transport {
  const server = parseServer(options.server);
  const clock = options.clock ?? systemClock;
  const retries = options.retries ?? defaultRetries;
  const fetch = options.fetch ?? globalThis.fetch;

  const attempt = async (call: Call, signal: AbortSignal | undefined): Promise<Response> => {
    const headers = { ...createHeaders(options), ...call.headers };
    const response = await fetch(server + call.path + renderQuery(call.query), {
      method: call.method,
      redirect: "error",
      headers: call.body === undefined ? headers : { "content-type": "application/json", ...headers },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (!response.ok) throw await readProblem(response);
    return response;
  };

  const withRetries = async <Answer>(
    call: Call,
    timeoutMs: number | undefined,
    read: (response: Response) => Promise<Answer>,
  ) => {
    for (let tries = 0; ; tries += 1) {
      const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
      const joined = joinSignals([call.signal, limit]);
      try {
        return await read(await attempt(call, joined.signal));
      } catch (error) {
        call.signal?.throwIfAborted();
        const trouble = toTrouble(error, call, { server, expired: limit?.aborted === true });
        if (!trouble.again || tries >= retries) throw trouble.fault;
        await clock.sleep(Math.min(backOff.longestMs, Math.max(trouble.fault.retryAfterMs ?? 0, pauseMs(tries))), call.signal);
      } finally {
        joined.release();
      }
    }
  };

  return {
    clock,
    send: (call) =>
      withRetries(call, options.timeoutMs ?? 60_000, async (response) => {
        const answer = await readJson(response);
        const operation = response.headers.get("operation-location")?.split("/").at(-1);
        if (operation) call.onAccepted?.(operation);
        const warn = call.onWarning ?? options.onWarning;
        for (const warning of readWarnings(response)) warn?.(warning);
        return answer;
      }) as Promise<never>,
    open: (call) => withRetries({ ...call, headers: { accept: "text/event-stream", ...call.headers } }, undefined, readStream),
  };
}

function toTrouble(error: unknown, call: Call, at: { server: string; expired: boolean }): { fault: Fault; again: boolean } {
  if (error instanceof Fault) {
    const status = error.extra["status"];
    return { fault: error, again: (status === 429 || status === 503) && error.retry !== "never" };
  }
  if (at.expired) {
    const fault = new Fault(clientFaults.timeout, `${at.server} did not respond to ${call.method} ${call.path} in time`, {
      cause: error,
    });
    return { fault, again: call.replayable };
  }
  const code = findCode(error);
  const fault = new Fault(clientFaults.unreachable, `cannot reach ${at.server}: ${describe(error, code)}`, { cause: error });
  return { fault, again: code !== "ENOTFOUND" && (call.replayable || neverSent.has(code ?? "")) };
}

function findCode(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return undefined;
}

function describe(error: unknown, code: string | undefined): string {
  if (code === "ECONNREFUSED") return "connection refused";
  if (code === "ENOTFOUND") return "no such host";
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    const type = response.headers.get("content-type") ?? "no content type";
    throw new Fault(clientFaults.bad_answer, `${new URL(response.url || "http://server").pathname} returned ${type}, not JSON`, {
      cause,
    });
  }
}

/** Reads the warnings from the response header. Ignores a header that is not a JSON array of strings. */
function readWarnings({ headers }: Response): string[] {
  try {
    const warnings: unknown = JSON.parse(headers.get("cloudwright-warnings") ?? "[]");
    return Array.isArray(warnings) ? warnings.filter((each): each is string => typeof each === "string") : [];
  } catch {
    return [];
  }
}

async function readStream(response: Response): Promise<ReadableStream<Uint8Array>> {
  if (response.body !== null && response.headers.get("content-type")?.startsWith("text/event-stream")) return response.body;
  await response.body?.cancel();
  throw new Fault(clientFaults.bad_answer, "the response to a watch is not a stream of server-sent events");
}

function createHeaders({ apiKey, userAgent }: ClientOptions): Record<string, string> {
  const key = (typeof apiKey === "function" ? apiKey() : apiKey)?.trim();
  // The key is checked here, because the error thrown by `fetch` would contain the header value and thus the key.
  if (key !== undefined && !/^[\x21-\x7e]*$/.test(key))
    throw new Fault(clientFaults.bad_key, "the API key contains invalid characters");
  return {
    accept: "application/json",
    ...(key === undefined || key === "" ? {} : { authorization: `Bearer ${key}` }),
    ...(userAgent === undefined ? {} : { "user-agent": userAgent }),
  };
}

function parseServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "") {
    throw new Fault(clientFaults.bad_server, `"${url?.password ? url.host : text}" is not a server address`);
  }
  return url.origin + trimEnd(url.pathname, "/");
}

function renderQuery(query: Call["query"]): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    const text = Array.isArray(value) ? value.join(",") : value;
    if (text !== undefined && text !== "" && text !== false) search.set(key, String(text));
  }
  return search.size === 0 ? "" : `?${search.toString()}`;
}
