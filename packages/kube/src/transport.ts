import { describeError, Fault, type Secret } from "@cloudwright/platform";
import { Agent, request as openRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { kubeFaults } from "./faults.ts";
import { readError } from "./read-error.ts";

/** How a cluster's API is reached. */
export interface KubeAccess {
  /** `https://host:port`, and what comes before `/api` where several clusters share a host. */
  readonly server: string;
  /** Whoever may have signed its certificate. */
  readonly caPem: string;
  /** Asked now and then, and when the cluster refuses the last one, since it may be short-lived. */
  token(): Promise<Secret>;
}

/** One call of the API. */
export interface KubeCall {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
  /** In faults: `get Deployment kube-system/coredns`. */
  readonly what: string;
}

/** What an answer consists of. */
export interface KubeAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Calls the API of one cluster. */
export interface Transport {
  /** Refusals are answers here. */
  ask(call: KubeCall): Promise<KubeAnswer>;
  /** The answer's body; refusals are faults. */
  call(call: KubeCall): Promise<unknown>;
  /** An answer that goes on: its lines as they come. */
  stream(call: KubeCall): Promise<AsyncIterable<string | Buffer>>;
  close(): void;
}

const answerMs = 30_000;
// Where it comes from may be far away; that of EKS is good for 14 minutes.
const tokenMs = 60_000;

/** Opens a way to one cluster. A token is in no fault, whatever goes wrong. */
export function createTransport(access: KubeAccess): Transport {
  const base = new URL(access.server);
  const prefix = base.pathname.replace(/\/+$/, "");
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

  /** One that is refused may just have expired: it is asked for once more. */
  async function open(call: KubeCall): Promise<IncomingMessage> {
    const isOld = known !== undefined;
    const answer = await send(call);
    if (answer.statusCode !== 401) return answer;
    known = undefined;
    if (!isOld) return answer;
    answer.resume();
    return send(call);
  }

  async function send(call: KubeCall): Promise<IncomingMessage> {
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
      // Until an answer begins; one that has begun may go on for as long as it likes.
      sent.setTimeout(answerMs, () => sent.destroy(new Error(`no answer within ${answerMs / 1000} s`)));
      sent.once("response", () => sent.setTimeout(0));
      sent.once("error", reject);
      sent.end(payload);
    });
  }

  function toFault(call: KubeCall, error: unknown): unknown {
    if (call.signal?.aborted) return call.signal.reason;
    if (error instanceof Fault) return error;
    return new Fault(kubeFaults.unreachable, `${call.what}: ${base.host} does not answer: ${describeError(error)}`);
  }

  const transport: Transport = {
    async ask(call) {
      try {
        const answer = await open(call);
        return { status: answer.statusCode ?? 0, body: parse(await text(answer)) };
      } catch (error) {
        throw toFault(call, error);
      }
    },
    async call(call) {
      const { status, body } = await transport.ask(call);
      if (status >= 200 && status < 300) return body;
      throw readError(call.what, status, body);
    },
    async stream(call) {
      try {
        const answer = await open(call);
        const status = answer.statusCode ?? 0;
        if (status < 200 || status >= 300) throw readError(call.what, status, parse(await text(answer)));
        return answer;
      } catch (error) {
        throw toFault(call, error);
      }
    },
    close: () => agent.destroy(),
  };
  return transport;
}

// Some answers, such as that of /readyz, are plain text.
function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
