import { systemClock } from "@cloudwright/platform";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createHome, removeHome } from "./home-directory.ts";
import { spawnServer, type ServerOptions, type ServerProcess } from "./server-process.ts";

/** A control plane in a separate process, ready for requests. */
export interface RunningServer {
  /** Base URL, such as `http://127.0.0.1:40123`. */
  readonly address: string;
  readonly adminKey: string;
  readonly home: string;
  readonly pid: number;
  /** Data directory of the database, as recorded in server.json. */
  readonly database: string;
  readonly process: ServerProcess;
  /** Stops the server as an operator would and returns its exit code. Removes the home directory if it was created for this server. */
  stop(): Promise<number | null>;
  /** Kills the server. The home directory remains, and the embedded database keeps running. */
  kill9(): Promise<void>;
}

const readyWithinMs = 120_000;
const lookEveryMs = 25;

/** Starts a control plane on a free port and waits until it is ready. Creates a home directory unless `home` is given. */
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

/** Reads server.json. Ignores a file with another process id, because a killed server left it behind. */
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
