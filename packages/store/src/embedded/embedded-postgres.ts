import { describeError, Fault, processEnvironment, type Clock, type Environment, type Logger } from "@cloudwright/platform";
import { prepareCluster, type Cluster } from "./cluster.ts";
import { ensureDatabase, productName } from "./database.ts";
import { embeddedFaults } from "./faults.ts";
import { keepLogShort } from "./log-file.ts";
import { bringUp, takeDown, type Postmaster } from "./postmaster.ts";
import { durableSettings } from "./settings.ts";

/** An embedded PostgreSQL server that is reached through a Unix socket. */
export interface EmbeddedPostgres {
  readonly socketDirectory: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Location of the data. It is outside the home directory if the server's user cannot access the home directory. */
  readonly dataDirectory: string;
  pid(): number;
  /** Restarts the server if it has died. Concurrent calls share one attempt. */
  ensureRunning(): Promise<void>;
  /** Stops the server, even if another process started it. */
  stop(): Promise<void>;
}

interface EmbeddedDeps {
  readonly log: Logger;
  readonly clock: Clock;
  readonly environment?: Environment;
}

/**
 * Starts the database of a home directory, or connects to it if it is already running. The database keeps running if this process is
 * killed.
 */
export async function startEmbeddedPostgres(
  given: EmbeddedDeps,
  options: { home: string; systemDirectory?: string },
): Promise<EmbeddedPostgres> {
  const deps = { environment: processEnvironment, ...given };
  const cluster = await prepareCluster(deps, {
    home: options.home,
    systemDirectory: options.systemDirectory ?? "/var/lib/cloudwright",
    settings: durableSettings,
  });
  const housekeeping = new AbortController();
  let current = await open(deps, cluster);
  let reviving: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  deps.log.info({ pid: current.pid, adopted: current.adopted, directory: cluster.dataDirectory }, "the database is running");
  void keepLogShort(deps, cluster.logFile, housekeeping.signal);

  const revive = async (): Promise<void> => {
    if (stopping !== undefined)
      throw new Fault(embeddedFaults.embedded_stopped, `the database in ${cluster.dataDirectory} was stopped`);
    const before = current.pid;
    current = await open(deps, cluster);
    if (current.pid !== before) deps.log.warn({ pid: current.pid, before }, "the database had died and is running again");
  };
  const end = async (): Promise<void> => {
    housekeeping.abort();
    await reviving?.catch(() => undefined);
    await takeDown(deps, cluster.dataDirectory);
    deps.log.info({ directory: cluster.dataDirectory }, "stopped the database");
  };
  return {
    get socketDirectory() {
      return current.socketDirectory;
    },
    get port() {
      return current.port;
    },
    user: productName,
    database: productName,
    dataDirectory: cluster.dataDirectory,
    pid: () => current.pid,
    ensureRunning: () => (reviving ??= revive().finally(() => (reviving = undefined))),
    stop: () => (stopping ??= end()),
  };
}

const attempts = 20;
const attemptEveryMs = 100;

async function open(deps: Required<EmbeddedDeps>, cluster: Cluster): Promise<Postmaster> {
  for (let attempt = 1; ; attempt++) {
    const postmaster = await bringUp(deps, cluster);
    try {
      await ensureDatabase({ host: postmaster.socketDirectory, port: postmaster.port });
      return postmaster;
    } catch (cause) {
      // Retries, because a server that was just killed looks alive until the kernel has removed its process.
      if (attempt === attempts) {
        throw new Fault(embeddedFaults.embedded_not_ready, `${cluster.dataDirectory}: ${describeError(cause)}`, { cause });
      }
      await deps.clock.sleep(attemptEveryMs);
    }
  }
}
