import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How the stand-in behaves. Tests change it while it runs. */
export interface StandInBehaviour {
  /** False for controllers with basic authentication only. */
  hasSessions: boolean;
  /** Ids of the computer systems. */
  systems: string[];
  /** Kinds of reset that the system offers. Undefined if the controller does not say. */
  resetTypes: string[] | undefined;
  /** Whether the kinds of reset are in a document of their own. */
  hasActionInfo: boolean;
  /** Whether the operating system reacts to a request to shut down. */
  shutsDown: boolean;
  /** Answers every request with this instead. */
  answer: ((request: IncomingMessage) => { readonly status: number; readonly text: string } | undefined) | undefined;
  /** Never answers. */
  isSilent: boolean;
}

/** A server that stands in for a management controller with a Redfish interface. It follows the schema ComputerSystem 1.20. */
export interface StandInRedfish {
  readonly address: string;
  readonly certificate: string;
  readonly fingerprint: string;
  readonly user: string;
  readonly password: string;
  readonly behaviour: StandInBehaviour;
  /** Requests so far, as `METHOD path`. */
  readonly requests: string[];
  /** Kinds of reset that were requested. */
  readonly resets: string[];
  /** Header fields of all requests, as JSON. */
  readonly headers: string[];
  power: string;
  boot: Readonly<Record<string, unknown>>;
  countSessions(): number;
  close(): Promise<void>;
}

const root = "/redfish/v1";

/** Starts the stand-in on the loopback address, with a certificate that it signed itself. `openssl` is the path of the program. */
export async function startStandInRedfish(openssl: string): Promise<StandInRedfish> {
  const { key, certificate } = createCertificate(openssl);
  const [user, password] = ["operator", "correct horse"];
  const sessions = new Map<string, string>();
  const behaviour: StandInBehaviour = {
    hasSessions: true,
    systems: ["1"],
    resetTypes: ["On", "ForceOff", "GracefulShutdown", "GracefulRestart", "ForceRestart"],
    hasActionInfo: false,
    shutsDown: true,
    answer: undefined,
    isSilent: false,
  };
  const state = { power: "On", boot: {} as Readonly<Record<string, unknown>> };
  const [requests, resets, headers]: [string[], string[], string[]] = [[], [], []];
  const basic = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

  function reply(
    request: IncomingMessage,
    body: Readonly<Record<string, unknown>>,
  ): readonly [number, object, Record<string, string>?] {
    const { method = "", url = "" } = request;
    const error = (status: number, message: string) =>
      [status, { error: { "@Message.ExtendedInfo": [{ Message: message }] } }] as const;
    if (method === "POST" && url === `${root}/SessionService/Sessions`) {
      if (!behaviour.hasSessions) return error(405, "not allowed");
      if (body["UserName"] !== user || body["Password"] !== password) return error(401, "wrong user or password");
      const token = `token-${sessions.size + 1}-${requests.length}`;
      const path = `${root}/SessionService/Sessions/${sessions.size + 1}`;
      sessions.set(token, path);
      return [201, {}, { "x-auth-token": token, location: path }];
    }
    const token = request.headers["x-auth-token"];
    const isKnown = typeof token === "string" ? sessions.has(token) : request.headers.authorization === basic;
    if (!isKnown) return error(401, "no valid session");
    const own = sessions.get(String(token));
    if (method === "DELETE" && url === own) return sessions.delete(String(token)) ? [204, {}] : error(404, "no session");
    if (url === `${root}/Systems`)
      return [200, { Members: behaviour.systems.map((id) => ({ "@odata.id": `${root}/Systems/${id}` })) }];
    const system = behaviour.systems.map((id) => `${root}/Systems/${id}`).find((path) => url.startsWith(path));
    if (system === undefined) return error(404, "no such resource");
    if (method === "PATCH" && url === system) {
      if (request.headers["if-match"] !== '"1"') return error(412, "the resource has changed");
      state.boot = body["Boot"] as typeof state.boot;
      return [204, {}];
    }
    const values = behaviour.resetTypes;
    if (url === `${system}/ResetActionInfo`) return [200, { Parameters: [{ Name: "ResetType", AllowableValues: values }] }];
    if (url === `${system}/Actions/ComputerSystem.Reset`) {
      const type = String(body["ResetType"]);
      resets.push(type);
      if (type === "On") state.power = "On";
      if (type === "ForceOff" || (type === "GracefulShutdown" && behaviour.shutsDown)) state.power = "Off";
      return [204, {}];
    }
    const target = `${system}/Actions/ComputerSystem.Reset`;
    const allowed = values === undefined ? {} : { "ResetType@Redfish.AllowableValues": values };
    const action = behaviour.hasActionInfo ? { "@Redfish.ActionInfo": `${system}/ResetActionInfo` } : allowed;
    const Boot = { "BootSourceOverrideTarget@Redfish.AllowableValues": ["None", "Pxe", "Hdd"], ...state.boot };
    return [200, { PowerState: state.power, Boot, Actions: { "#ComputerSystem.Reset": { target, ...action } } }, { etag: '"1"' }];
  }

  const server = createServer({ key, cert: certificate }, (request, response) => {
    requests.push(`${request.method ?? ""} ${request.url ?? ""}`);
    headers.push(JSON.stringify(request.headers));
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (behaviour.isSilent) return;
      const other = behaviour.answer?.(request);
      const text = Buffer.concat(parts).toString("utf8");
      const [status, body, more = {}] =
        other === undefined
          ? reply(request, text === "" ? {} : (JSON.parse(text) as Record<string, unknown>))
          : [other.status, {}];
      response.writeHead(status, { "content-type": "application/json", ...more }).end(other?.text ?? JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificate,
    fingerprint: new X509Certificate(certificate).fingerprint256.replaceAll(":", "").toLowerCase(),
    user,
    password,
    behaviour,
    requests,
    resets,
    headers,
    get power() {
      return state.power;
    },
    set power(value) {
      state.power = value;
    },
    get boot() {
      return state.boot;
    },
    set boot(value) {
      state.boot = value;
    },
    countSessions: () => sessions.size,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createCertificate(openssl: string): { readonly key: string; readonly certificate: string } {
  const folder = mkdtempSync(join(tmpdir(), "stand-in-redfish-"));
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  try {
    const subject = ["-subj", "/CN=stand-in", "-addext", "subjectAltName=IP:127.0.0.1"];
    const form = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"];
    execFileSync(openssl, [...form, ...subject, "-keyout", key, "-out", certificate], { stdio: "ignore" });
    return { key: readFileSync(key, "utf8"), certificate: readFileSync(certificate, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
