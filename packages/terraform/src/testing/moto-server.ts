import { processEnvironment, pickChildEnvironment } from "@cloudwright/platform";
import { createTestDirectory } from "./test-terraform.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A fake AWS API over HTTP, for one test. */
export interface MotoServer {
  readonly address: string;
  /** IDs of the access keys that signed requests. */
  readonly keyIds: ReadonlySet<string>;
  /** Sends an unsigned request. The fake does not check signatures. */
  call(method: string, path: string, options?: { body?: string; target?: string }): Promise<{ status: number; body: string }>;
}

/** Starts moto on a free port. */
export async function startMotoServer(program: string): Promise<MotoServer> {
  const env = { ...pickChildEnvironment(processEnvironment), PYTHONUNBUFFERED: "1" };
  const child = spawn(program, ["-H", "127.0.0.1", "-p", "0"], {
    env,
    cwd: createTestDirectory(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const behind = await findAddress(child.stderr);
  const keyIds = new Set<string>();
  const address = await startRecorder(behind, keyIds);
  return {
    address,
    keyIds,
    async call(method, path, { body, target } = {}) {
      const authorization = `AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/${target === undefined ? "s3" : "dynamodb"}/aws4_request`;
      const headers = {
        authorization,
        ...(target === undefined ? {} : { "x-amz-target": target, "content-type": "application/x-amz-json-1.0" }),
      };
      const answer = await fetch(`${behind}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
      return { status: answer.status, body: await answer.text() };
    },
  };
}

async function startRecorder(behind: string, keyIds: Set<string>): Promise<string> {
  const server = createServer((asked, answer) => {
    keyIds.add(/Credential=(?<id>[^/]+)/.exec(asked.headers.authorization ?? "")?.groups?.["id"] ?? "none");
    const { method, headers } = asked;
    const passed = request(`${behind}${asked.url}`, { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 500, got.headers);
      got.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
