import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { AdminCalls } from "../admin-calls.ts";
import { compiledModules } from "../compiled-modules.ts";

const program = fileURLToPath(new URL("../../apps/agent/src/main.ts", import.meta.url));
const node = fileURLToPath(new URL("../../node_modules/.bin/node", import.meta.url));

/** An agent that is started separately, so that it can connect to the server through a proxy. */
export interface LoneAgent {
  readonly pid: number;
  output(): string;
  stop(): Promise<void>;
}

/** Starts an agent that joins with a new join token. */
export async function startLoneAgent(
  calls: AdminCalls,
  options: {
    readonly name: string;
    readonly server: string;
    readonly directory: string;
    readonly path: string;
    readonly environment?: Readonly<Record<string, string>>;
  },
): Promise<LoneAgent> {
  const response = await calls.send("POST", "/v1/projects/system/jointokens", {});
  const { joinToken } = (await response.json()) as { joinToken: string };
  const child = spawn(node, [program, "run"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: options.path,
      NODE_COMPILE_CACHE: compiledModules,
      CLOUDWRIGHT_SERVER: options.server,
      CLOUDWRIGHT_AGENT_NAME: options.name,
      CLOUDWRIGHT_AGENT_DIR: options.directory,
      CLOUDWRIGHT_JOIN_TOKEN: joinToken,
      CLOUDWRIGHT_AGENT_STOP_SECONDS: "0",
      ...options.environment,
    },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (printed += String(data)));
  const ended = once(child, "exit");
  return {
    pid: child.pid ?? 0,
    output: () => printed,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
