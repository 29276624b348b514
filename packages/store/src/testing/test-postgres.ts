import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createLogger, processEnvironment, requireTool, systemClock } from "@cloudwright/platform";
import { prepareCluster } from "../embedded/cluster.ts";
import { ensureDatabase, productName } from "../embedded/database.ts";
import { bringUp, takeDown } from "../embedded/postmaster.ts";
import { inspectPostmaster } from "../embedded/postmaster-lock.ts";
import { durableSettings, throwAwaySettings } from "../embedded/settings.ts";

/** Versions under test: the embedded version and the oldest supported one. */
export type TestVersion = "18" | "15";

/** A PostgreSQL server for tests. Its data is lost when it stops. */
export interface TestPostgres {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Stops the server, gracefully or abruptly, and starts it again at the same address. */
  restart(mode: "fast" | "immediate"): Promise<void>;
  stop(): Promise<void>;
}

const deps = {
  log: createLogger({ level: "error", name: "test-postgres" }),
  clock: systemClock,
  environment: processEnvironment,
};

/** Returns the directory with the binaries of a version, or undefined for the embedded ones. Returns a reason if they are not installed. */
export function findTestBinaries(
  version: TestVersion,
  environment = processEnvironment,
): { directory: string | undefined } | { reason: string } {
  if (version === "18") return { directory: undefined };
  const named = environment["CLOUDWRIGHT_PG15_BIN"] || undefined;
  if (named !== undefined) return { directory: named };
  const tool = requireTool("pg15", environment);
  return tool.found
    ? { directory: dirname(tool.path) }
    : { reason: `${tool.reason}; set CLOUDWRIGHT_PG15_BIN to its bin directory` };
}

/** Starts a temporary server. With `durable`, no committed data is lost if the server is killed. */
export async function startTestPostgres(
  version: TestVersion = "18",
  { durable = false }: { readonly durable?: boolean } = {},
): Promise<TestPostgres> {
  const binaries = findTestBinaries(version);
  if ("reason" in binaries) throw new Error(binaries.reason);
  const home = await createTestHome();
  const settings = durable ? durableSettings : throwAwaySettings;
  const start = (): Promise<{ host: string; port: number }> => joinTestPostgres(home, binaries.directory, settings);
  return {
    ...(await start()),
    user: productName,
    async restart(mode) {
      if (mode === "immediate") await endAtOnce(home);
      else await takeDown(deps, join(home, "data"));
      await start();
    },
    stop: () => removeTestHome(home),
  };
}

/** Stops a server as a power failure would: the server writes nothing more. */
async function endAtOnce(home: string): Promise<void> {
  const found = await inspectPostmaster(deps, join(home, "data"));
  if (found.state !== "running") return;
  process.kill(found.pid, "SIGQUIT");
  const isRunning = async (): Promise<boolean> => {
    const now = await inspectPostmaster(deps, join(home, "data"));
    return now.state === "running" && now.pid === found.pid;
  };
  while (await isRunning()) await systemClock.sleep(20);
}

/** Creates a directory for one server. Its name contains the id of the process that will remove it. */
export async function createTestHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), `${testHomePrefix}${process.pid}-`));
  // PostgreSQL may have to run as another user, who needs access.
  await chmod(home, 0o711);
  return home;
}

/** Name prefix of the directories that `createTestHome` creates, followed by a process id. */
export const testHomePrefix = "cloudwright-test-";

/** Returns the server for a test home. The first caller starts it. Callers in other processes share it. */
export async function joinTestPostgres(
  home: string,
  binDirectory: string | undefined,
  settings = throwAwaySettings,
): Promise<{ host: string; port: number }> {
  const cluster = await prepareCluster(deps, {
    home,
    systemDirectory: join(home, "system"),
    settings,
    throwAway: true,
    ...(binDirectory === undefined ? {} : { binDirectory }),
  });
  const { socketDirectory, port } = await bringUp(deps, cluster);
  const where = { host: socketDirectory, port };
  await ensureDatabase(where);
  return where;
}

/** Stops the server for a test home if it is running, and removes its files. */
export async function removeTestHome(home: string): Promise<void> {
  await takeDown(deps, join(home, "data"));
  await rm(home, { recursive: true, force: true });
}
