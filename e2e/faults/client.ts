import type { Json } from "@cloudwright/contract";
import { systemClock } from "@cloudwright/platform";
import type { FaultPlatform } from "./platform.ts";

/** The final response to a request, after all retries. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Fault code of an error response. Empty for other responses. */
  readonly code: string;
}

/** A client that tries the servers in turn until one responds. */
export interface Client {
  send(method: string, path: string, body?: Json, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Returns the number of requests that had to be sent again. */
  resent(): number;
  /** Responses that no client should ever receive. */
  readonly surprises: string[];
}

const passing = new Set([429, 502, 503, 504]);

export function createClient(platform: Pick<FaultPlatform, "servers" | "adminKey">, isOver: () => boolean): Client {
  const surprises: string[] = [];
  let turn = 0;
  let resent = 0;
  const sendOnce = async (...[method, path, body, headers]: Parameters<Client["send"]>): Promise<Answer | undefined> => {
    const { address } = platform.servers[turn++ % platform.servers.length] as { address: string };
    const response = await fetch(address + path, {
      method,
      headers: { authorization: `Bearer ${platform.adminKey}`, "content-type": "application/json", ...headers },
      signal: AbortSignal.timeout(20_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (passing.has(response.status)) return undefined;
    if (response.status >= 500) surprises.push(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    if (response.status >= 500) return undefined;
    const parsed = JSON.parse(text) as { code?: string };
    return { status: response.status, body: parsed, code: response.ok ? "" : (parsed.code ?? "") };
  };
  return {
    surprises,
    resent: () => resent,
    async send(...request) {
      for (;;) {
        const answer = await sendOnce(...request).catch(() => undefined);
        if (answer !== undefined) return answer;
        if (isOver()) throw new Error(`timed out: ${request[0]} ${request[1]}`);
        resent += 1;
        await systemClock.sleep(200);
      }
    },
  };
}
