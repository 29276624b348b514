import { once } from "node:events";
import { createServer, request as sendPlainly, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer, request as sendSecurely } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A point in a run: before the n-th mutating request reaches the cloud, or after the cloud has answered it. */
export interface RequestPoint {
  readonly request: number;
  readonly moment: "before" | "after";
}

/** A proxy between a client and a cloud's API. The proxy works with any client. */
export interface CountingProxy {
  readonly address: string;
  /** The mutating requests since the last call to `arm`, in order of arrival. */
  readonly requests: readonly string[];
  /**
   * Starts counting from zero. At `point`, the proxy holds the request, or the response to it, and calls `onHeld`. A held request or
   * response is never forwarded.
   */
  arm(point?: RequestPoint, onHeld?: () => void): void;
  close(): Promise<void>;
}

/** Certificates of a proxy that serves HTTPS. */
export interface ProxyCertificates {
  /** The proxy's own key and certificate, issued for `localhost`. */
  readonly keyPem: string;
  readonly certificatePem: string;
  /** The certificate authority of the target. */
  readonly targetCaPem: string;
}

/** Starts a proxy for the API at `target`. With certificates, the proxy and its target use HTTPS. */
export async function startCountingProxy(target: string, secure?: ProxyCertificates): Promise<CountingProxy> {
  const requests: string[] = [];
  let point: RequestPoint | undefined;
  let onHeld: () => void = () => undefined;
  const hold = (count: number, moment: RequestPoint["moment"]): boolean => {
    if (point?.request !== count || point.moment !== moment) return false;
    onHeld();
    return true;
  };
  const forward = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const name = describeMutation(incoming, body);
    const count = name === undefined ? 0 : requests.push(name);
    if (hold(count, "before")) return;
    const url = new URL(incoming.url ?? "/", target);
    // The headers are forwarded unchanged, including the host that the client addressed. Signatures cover this host, and links in
    // responses contain it.
    const { method, headers } = incoming;
    const outgoing =
      secure === undefined
        ? sendPlainly(url, { method, headers })
        : sendSecurely(url, { method, headers, ca: secure.targetCaPem });
    outgoing.end(body);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    const answered = await buffer(answer);
    if (hold(count, "after")) return;
    response.writeHead(answer.statusCode ?? 500, answer.headers).end(answered);
  };
  const answer = (incoming: IncomingMessage, response: ServerResponse): void => {
    forward(incoming, response).catch(() => incoming.socket.destroy());
  };
  const server =
    secure === undefined ? createServer(answer) : createSecureServer({ key: secure.keyPem, cert: secure.certificatePem }, answer);
  const host = secure === undefined ? "127.0.0.1" : "localhost";
  server.listen(0, host);
  await once(server, "listening");
  return {
    address: `${secure === undefined ? "http" : "https"}://${host}:${(server.address() as AddressInfo).port}`,
    requests,
    arm(next, report = () => undefined) {
      requests.length = 0;
      [point, onHeld] = [next, report];
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const reading = /^(Describe|Get|List)/;

/** POST requests that change nothing: logins, and requests for credentials and logs. */
const readingPath = /\/(oauth2\/v2\.0\/token|listClusterUserCredential|retrieveBootDiagnosticsData)$/i;

/**
 * Returns a name for a request that changes something. IAM and EC2 requests name the action in a form field. A form without an action
 * requests an access token. For all other APIs, the method and path determine the action.
 */
function describeMutation({ method = "", url = "", headers }: IncomingMessage, body: Buffer): string | undefined {
  const [path = ""] = url.split("?");
  if (readingPath.test(path)) return undefined;
  if (headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true) {
    const action = new URLSearchParams(body.toString()).get("Action") ?? "";
    return action === "" || reading.test(action) ? undefined : action;
  }
  return method === "GET" || method === "HEAD" ? undefined : `${method} ${path}`;
}
