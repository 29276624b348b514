import { pickChildEnvironment, processEnvironment } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";

export interface SeenRequest {
  /** ID of the access key that signed the request. Empty for unsigned requests. */
  readonly keyId: string;
  readonly service: string;
  readonly path: string;
  /** API action, such as `AssumeRole`, for services that send it in the body. */
  readonly action: string;
  readonly body: URLSearchParams;
}

/** A response that replaces moto's own. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
}

/** A fake AWS API over HTTP: moto behind a proxy that records requests. */
export interface MotoServer {
  readonly address: string;
  readonly seen: readonly SeenRequest[];
  /** Turns the verification of access keys and IAM policies on or off. */
  checkKeys(check: boolean): Promise<void>;
  /** Sets a rule that overrides responses, for errors that moto does not simulate. Undefined removes the rule. */
  refuse(rule: ((request: SeenRequest) => Refusal | undefined) | undefined): void;
  close(): Promise<void>;
}

/** Starts moto and the proxy on free ports. `environment` contains moto's own settings. */
export async function startMotoServer(program: string, environment: Readonly<Record<string, string>> = {}): Promise<MotoServer> {
  const child = spawn(program, ["-H", "127.0.0.1", "-p", "0"], {
    env: { ...pickChildEnvironment(processEnvironment), PYTHONUNBUFFERED: "1", ...environment },
    cwd: tmpdir(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "close");
  const behind = await findAddress(child.stderr);
  const seen: SeenRequest[] = [];
  let rule: ((request: SeenRequest) => Refusal | undefined) | undefined;
  const server = createServer((asked, answer) => {
    const chunks: Buffer[] = [];
    asked.on("data", (chunk: Buffer) => chunks.push(chunk));
    asked.on("end", () => {
      const bytes = Buffer.concat(chunks);
      const request = describe(asked.headers.authorization ?? "", asked.url ?? "", bytes);
      seen.push(request);
      const refused = rule?.(request);
      if (refused !== undefined)
        return answer
          .writeHead(refused.status, { "content-type": refused.body.startsWith("{") ? "application/json" : "text/xml" })
          .end(refused.body);
      const passed = send(`${behind}${asked.url}`, { method: asked.method, headers: asked.headers }, (got) => {
        answer.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(answer);
      });
      passed.on("error", () => answer.destroy());
      return passed.end(bytes);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async checkKeys(check) {
      await fetch(`${behind}/moto-api/reset-auth`, { method: "POST", body: check ? "0" : "inf" });
    },
    refuse: (given) => void (rule = given),
    async close() {
      server.close();
      server.closeAllConnections();
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function describe(authorization: string, url: string, bytes: Buffer): SeenRequest {
  const scope = /Credential=(?<id>[^/]+)\/\d+\/[^/]+\/(?<service>[^/]+)/.exec(authorization)?.groups;
  const text = bytes.toString();
  const body = new URLSearchParams(text.startsWith("Action=") ? text : (url.split("?")[1] ?? ""));
  const [path = ""] = url.split("?");
  return { keyId: scope?.["id"] ?? "", service: scope?.["service"] ?? "", path, action: body.get("Action") ?? "", body };
}

async function findAddress(output: NodeJS.ReadableStream): Promise<string> {
  let said = "";
  for await (const chunk of output as AsyncIterable<Buffer>) {
    said += chunk.toString();
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
    if (found === undefined) continue;
    // Keep reading the output, or moto blocks when the pipe is full.
    output.on("data", () => undefined);
    return found;
  }
  throw new Error(`moto_server printed no address: ${said}`);
}
