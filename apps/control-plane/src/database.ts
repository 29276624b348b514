import { describeError, Fault, type Clock, type Logger, type ServerConfig, type Shutdown } from "@cloudwright/platform";
import { createPool, startEmbeddedPostgres, type Connection } from "@cloudwright/store";
import { controlPlaneFaults } from "./faults.ts";

export interface OpenDatabase {
  readonly connection: Connection;
  readonly embedded: boolean;
  /** Database location shown in server.json, without the password. */
  readonly where: string;
  /** Restarts the embedded server if it has died. */
  readonly revive: () => void;
  /** Marks this process as the owner of the home directory. Only the owner stops the embedded server on shutdown. */
  readonly own: () => void;
}

/** Connects to the server in DATABASE_URL, or starts an embedded PostgreSQL server in the home directory. */
export async function openDatabase(
  deps: { log: Logger; clock: Clock; shutdown: Shutdown },
  config: ServerConfig,
): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) return openServer(config.databaseUrl.reveal());
  const embedded = await startEmbeddedPostgres(deps, { home: config.home });
  let owned = false;
  let reviving: Promise<void> | undefined;
  // The database is opened first and therefore closed last. Only the owner of the home directory stops it.
  deps.shutdown.onClose("database", () => (owned ? embedded.stop() : undefined));
  const { socketDirectory: host, port, user, database } = embedded;
  return {
    connection: { host, port, user, database },
    embedded: true,
    where: embedded.dataDirectory,
    own: () => void (owned = true),
    revive: () => {
      if (deps.shutdown.signal.aborted) return;
      // Every lost connection triggers a call to this function, so concurrent calls share one restart.
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
    const message = `DATABASE_URL: cannot connect to ${where}: ${describeError(reason)}`;
    throw new Fault(controlPlaneFaults.database_unreachable, message, { cause: error });
  } finally {
    await pool.close();
  }
  return { connection: { url }, embedded: false, where, revive: () => undefined, own: () => undefined };
}
