import { describeError, Fault, type Clock, type Logger, type ServerConfig, type Shutdown } from "@cloudwright/platform";
import { createPool, startEmbeddedPostgres, type Connection } from "@cloudwright/store";
import { controlPlaneFaults } from "./faults.ts";

/** The database this process works on. */
export interface OpenDatabase {
  readonly connection: Connection;
  readonly embedded: boolean;
  /** Where it is, for server.json; never a password. */
  readonly where: string;
  /** Starts an embedded server again that has died. */
  readonly revive: () => void;
  /** Says that this process owns the home: it stops the embedded server when it stops. */
  readonly own: () => void;
}

/** The server that DATABASE_URL names, else a real PostgreSQL of our own in the home. */
export async function openDatabase(
  deps: { log: Logger; clock: Clock; shutdown: Shutdown },
  config: ServerConfig,
): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) return openServer(config.databaseUrl.reveal());
  const embedded = await startEmbeddedPostgres(deps, { home: config.home });
  let owned = false;
  let reviving: Promise<void> | undefined;
  // Closed after everything that uses it, because it was opened first. Whoever lost the race for the home leaves it running.
  deps.shutdown.onClose("database", () => (owned ? embedded.stop() : undefined));
  const { socketDirectory: host, port, user, database } = embedded;
  return {
    connection: { host, port, user, database },
    embedded: true,
    where: embedded.dataDirectory,
    own: () => void (owned = true),
    revive: () => {
      if (deps.shutdown.signal.aborted) return;
      // Every connection that is lost asks for it.
      reviving ??= embedded
        .ensureRunning()
        .catch((error: unknown) => deps.log.error({ err: error }, "the embedded database does not start again"))
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
