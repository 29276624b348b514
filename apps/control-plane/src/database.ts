import { describeError, Fault, type Clock, type Logger, type ServerConfig, type Shutdown } from "@cloudwright/platform";
import { createPool, startEmbeddedPostgres, type Connection } from "@cloudwright/store";
import { controlPlaneFaults } from "./faults.ts";

/** The database of this process. */
export interface OpenDatabase {
  readonly connection: Connection;
  readonly embedded: boolean;
  /** Its address for server.json, without a password. */
  readonly where: string;
  /** Restarts an embedded server that died. */
  readonly revive: () => void;
  /** Marks this process as the owner of the home, which stops the embedded server on shutdown. */
  readonly own: () => void;
}

/** Opens the server in DATABASE_URL, or an embedded PostgreSQL in the home directory. */
export async function openDatabase(
  deps: { log: Logger; clock: Clock; shutdown: Shutdown },
  config: ServerConfig,
): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) return openServer(config.databaseUrl.reveal());
  const embedded = await startEmbeddedPostgres(deps, { home: config.home });
  let owned = false;
  let reviving: Promise<void> | undefined;
  // Opened first, so it is closed last. A process that does not own the home leaves it running.
  deps.shutdown.onClose("database", () => (owned ? embedded.stop() : undefined));
  const { socketDirectory: host, port, user, database } = embedded;
  return {
    connection: { host, port, user, database },
    embedded: true,
    where: embedded.dataDirectory,
    own: () => void (owned = true),
    revive: () => {
      if (deps.shutdown.signal.aborted) return;
      // Every lost connection triggers this.
      reviving ??= embedded
        .ensureRunning()
        .catch((error: unknown) => deps.log.error({ err: error }, "could not restart the embedded database"))
        .finally(() => (reviving = undefined));
    },
  };
}

async function openServer(url: string): Promise<OpenDatabase> {
  const { host, pathname } = new URL(url);
  const where = `${host}${pathname}`;
  const pool = createPool({ url }, { size: 1 });
  try {
    const client = await pool.connect();
    await client.end();
  } catch (error) {
    const reason = error instanceof Fault && error.cause !== undefined ? error.cause : error;
    const message = `DATABASE_URL: no connection to ${where}: ${describeError(reason)}`;
    throw new Fault(controlPlaneFaults.database_unreachable, message, { cause: error });
  } finally {
    await pool.close();
  }
  return { connection: { url }, embedded: false, where, revive: () => undefined, own: () => undefined };
}
