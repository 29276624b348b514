import { Fault, isObject, parseJson, type JsonObject } from "@cloudwright/platform";
import { Agent, request, type RequestOptions } from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect } from "node:tls";
import { hostsFaults } from "../faults.ts";

const mostBytes = 1024 * 1024;
const mostMessage = 300;

/** How the identity of a management controller is verified. Without both, the agent's usual authorities apply. */
export interface RedfishTrust {
  /** SHA-256 fingerprint of the certificate, in hexadecimal digits. Replaces the check against authorities. */
  readonly fingerprint?: string;
  /** Authorities in PEM format. */
  readonly ca?: string;
}

/** Where requests go. `close` ends the open connections. */
export interface RedfishEndpoint {
  /** Host and port, for messages. */
  readonly where: string;
  send(call: RedfishCall): Promise<RedfishAnswer>;
  close(): void;
}

export interface RedfishCall {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Absolute path. Controllers name paths in their answers, so other forms are rejected. */
  readonly path: string;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RedfishAnswer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Opens an endpoint. Credentials are sent only after the certificate was verified. */
export function openEndpoint(
  { address, trust, timeoutMs = 15_000 }: { readonly address: string; readonly trust: RedfishTrust; readonly timeoutMs?: number },
  signal: AbortSignal,
): RedfishEndpoint {
  const { hostname, port, host: where } = new URL(address);
  const agent = createAgent(trust, where);
  return {
    where,
    close: () => agent.destroy(),
    async send({ method, path, body, headers = {} }) {
      if (!/^\/(?!\/)[\x21-\x7e]{0,1000}$/.test(path))
        throw new Fault(hostsFaults.bmc_failed, `${where} refers to a path that is not below its own address`);
      const text = body === undefined ? undefined : JSON.stringify(body);
      const content =
        text === undefined ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) };
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      return new Promise<RedfishAnswer>((resolve, reject) => {
        const fail = (error: Error): void =>
          reject(signal.aborted ? (signal.reason as Error) : explain(error, where, limit.aborted));
        const sent = request(
          {
            agent,
            hostname,
            port: port === "" ? 443 : Number(port),
            method,
            path,
            signal: limit,
            headers: { accept: "application/json", "odata-version": "4.0", ...headers, ...content },
          },
          (response) => {
            const parts: Buffer[] = [];
            let bytes = 0;
            response.on("data", (part: Buffer) => {
              bytes += part.length;
              parts.push(part);
              if (bytes > mostBytes)
                response.destroy(new Fault(hostsFaults.bmc_failed, `${where} sent more than ${mostBytes} bytes`));
            });
            response.on("error", fail);
            response.on("end", () => {
              const parsed = parseJson(Buffer.concat(parts).toString("utf8"));
              resolve({
                status: response.statusCode ?? 0,
                body: isObject(parsed) ? (parsed as JsonObject) : {},
                headers: response.headers,
              });
            });
          },
        );
        sent.on("error", fail);
        sent.end(text);
      });
    },
  };
}

/** Returns the reason that a controller gives for an error, in one line. It never contains credentials, because they are not echoed back. */
export function describeError({ status, body }: RedfishAnswer): string {
  const error = isObject(body["error"]) ? body["error"] : {};
  const extended = error["@Message.ExtendedInfo"];
  const first: unknown = Array.isArray(extended) ? extended[0] : undefined;
  const message = isObject(first) && typeof first["Message"] === "string" ? first["Message"] : error["message"];
  const text = typeof message === "string" ? message.slice(0, mostMessage).replaceAll(/\p{Cc}+/gu, " ") : "";
  return text === "" ? `status ${status}` : `status ${status}: ${text}`;
}

function createAgent({ fingerprint = "", ca = "" }: RedfishTrust, where: string): Agent {
  if (fingerprint === "") return new Agent({ keepAlive: true, maxSockets: 2, ...(ca === "" ? {} : { ca }) });
  return new PinningAgent(fingerprint.toLowerCase(), where);
}

/** Accepts only one certificate. The connection is handed out after the certificate was compared, so no request is sent before. */
class PinningAgent extends Agent {
  readonly #fingerprint: string;
  readonly #where: string;

  constructor(fingerprint: string, where: string) {
    super({ keepAlive: true, maxSockets: 2 });
    this.#fingerprint = fingerprint;
    this.#where = where;
  }

  override createConnection(options: RequestOptions, done?: (error: Error | null, stream: Duplex) => void): undefined {
    const host = options.host ?? "";
    const socket = connect({
      host,
      port: Number(options.port),
      servername: isIP(host) === 0 ? host : "",
      rejectUnauthorized: false,
    });
    const fail = (error: Error): void => done?.(error, socket);
    socket.once("error", fail);
    socket.once("secureConnect", () => {
      socket.off("error", fail);
      const presented = socket.getPeerCertificate().fingerprint256.replaceAll(":", "").toLowerCase();
      if (presented === this.#fingerprint) return done?.(null, socket);
      socket.destroy();
      done?.(
        new Fault(hostsFaults.bmc_untrusted, `${this.#where} presented a certificate with the fingerprint ${presented}`),
        socket,
      );
    });
    return undefined;
  }
}

function explain(error: Error & { readonly code?: string }, where: string, isLate: boolean): Error {
  if (error instanceof Fault) return error;
  const { code = "" } = error;
  if (isLate) return new Fault(hostsFaults.bmc_unreachable, `${where} did not answer in time`, { cause: error });
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO|ISSUER/.test(code)) {
    return new Fault(hostsFaults.bmc_untrusted, `the certificate of ${where} is not trusted: ${code}`, { cause: error });
  }
  return new Fault(hostsFaults.bmc_unreachable, `cannot reach ${where}: ${code === "" ? error.message : code}`, { cause: error });
}
