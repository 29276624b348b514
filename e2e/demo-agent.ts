import { processEnvironment } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compiledModules } from "./compiled-modules.ts";
import { runCloud } from "./cloud-command.ts";
import type { RunningServer } from "./server.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** An agent whose handlers follow the `demo.cloudwright.dev` annotations of an entity. */
export interface DemoAgent {
  stop(): Promise<void>;
}

/** Starts an agent with demonstration handlers. It joins with a token that the CLI creates. */
export async function startDemoAgent(server: RunningServer, name: string): Promise<DemoAgent> {
  const { code, out, err } = await runCloud({ home: server.home }, "-p", "system", "agent", "join-token");
  if (code !== 0) throw new Error(`cannot create a join token: ${err}`);
  const file = join(server.home, `${name}.token`);
  await writeFile(file, out, { mode: 0o600 });
  const child = spawn(`${root}/node_modules/.bin/node`, [`${root}/apps/agent/src/main.ts`, "--demo"], {
    env: {
      PATH: processEnvironment["PATH"],
      NODE_COMPILE_CACHE: compiledModules,
      CLOUDWRIGHT_HOME: server.home,
      CLOUDWRIGHT_SERVER: server.address,
      CLOUDWRIGHT_JOIN_TOKEN_FILE: file,
      CLOUDWRIGHT_AGENT_NAME: name,
      CLOUDWRIGHT_AGENT_DIR: join(server.home, name),
      CLOUDWRIGHT_LOG_LEVEL: "error",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(child, "close");
  process.once("exit", () => child.kill("SIGKILL"));
  return {
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
