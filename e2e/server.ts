import { systemClock } from "@cloudwright/platform";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createHome, removeHome } from "./home-directory.ts";
import { spawnServer, type ServerOptions, type ServerProcess } from "./server-process.ts";

/** A control plane in a separate process that is ready for requests. */
export interface RunningServer {
  /** The address, such as `http://127.0.0.1:40123`. */
  readonly address: string;
  readonly adminKey: string;
  readonly home: string;
  readonly pid: number;
  /** The data directory of the database, as stated in server.json. */
  readonly database: string;
  readonly process: ServerProcess;
  /** Stops the server as an operator would, and returns its exit code. Removes the home if it was created for this server. */
  stop(): Promise<number | null>;
  /** Kills the server. Its home directory stays, and the embedded database keeps running. */
  kill9(): Promise<void>;
}

const readyWithinMs = 120_000;
const lookEveryMs = 25;

/** Starts a control plane on a free port and waits until it is ready. Without a home it gets a new one. */
export async function startServer(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const home = options.home ?? (await createHome());
  const server = spawnServer({ ...options, home });
  const facts = await waitUntilReady(server, home).catch(async (error: unknown) => {
    if (options.home === undefined) await removeHome(home);
    throw error;
  });
  return {
    ...facts,
    home,
    process: server,
    async stop() {
      const { code } = await server.end("SIGTERM");
      if (options.home === undefined) await removeHome(home);
      return code;
    },
    async kill9() {
      await server.end("SIGKILL");
    },
  };
}

type Facts = Pick<RunningServer, "address" | "adminKey" | "pid" | "database">;

async function waitUntilReady(server: ServerProcess, home: string): Promise<Facts> {
  const deadline = systemClock.now() + readyWithinMs;
  while (server.exit() === undefined && systemClock.now() < deadline) {
    const facts = await readFacts(server, home);
    if (facts !== undefined && (await isReady(facts.address))) return facts;
    await systemClock.sleep(lookEveryMs);
  }
  const { code } = await server.end("SIGKILL");
  throw new Error(`the server did not become ready (exit ${code}): ${server.stderr()}`);
}

/** Reads server.json. A file with another process id was left by a killed server and is ignored. */
async function readFacts(server: ServerProcess, home: string): Promise<Facts | undefined> {
  const text = await readFile(join(home, "server.json"), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { address, pid, database } = JSON.parse(text) as Facts;
  if (pid !== server.pid) return undefined;
  const key = await readFile(join(home, "admin.key"), "utf8").catch(() => "");
  return { address, pid, database, adminKey: key.trim() };
}

async function isReady(address: string): Promise<boolean> {
  return fetch(`${address}/readyz`).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
  );
}
