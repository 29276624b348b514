import type { Clock, Logger, ServerConfig, Shutdown } from "@cloudwright/platform";
import { startEmbeddedPostgres, type Connection } from "@cloudwright/store";

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
  if (config.databaseUrl !== undefined) {
    const { host, pathname } = new URL(config.databaseUrl.reveal());
    return {
      connection: { url: config.databaseUrl.reveal() },
      embedded: false,
      where: `${host}${pathname}`,
      revive: () => undefined,
      own: () => undefined,
    };
  }
  const embedded = await startEmbeddedPostgres(deps, { home: config.home });
  let owned = false;
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
      embedded
        .ensureRunning()
        .catch((error: unknown) => deps.log.error({ err: error }, "the embedded database does not start again"));
    },
  };
}
