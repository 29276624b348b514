import pg from "pg";
import { Fault } from "@cloudwright/platform";
import { storeFaults } from "./faults.ts";

/** Address of the database: a URL, or the socket directory of the embedded server. */
export type Connection =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

/** Runs statements: either a pool, or one client inside a transaction. */
export interface Database {
  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>>;
}

/** An SQL statement. Statements with a name are prepared once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

export interface Pool extends Database {
  transaction<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  /** Opens a dedicated connection, for example for LISTEN. The caller must end it. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

/** Converts connection settings to the driver's configuration. */
export function toClientConfig(connection: Connection): pg.ClientConfig {
  const where = "url" in connection ? { connectionString: connection.url } : { ...connection };
  return { ...where, application_name: "cloudwright", idle_in_transaction_session_timeout: 60_000, statement_timeout: 30_000 };
}

/** The server cancels statements after 30 seconds. If it has not responded after 45 seconds, it is frozen or unreachable. */
const silentMs = 45_000;

export interface PoolOptions {
  readonly size?: number;
  readonly silentMs?: number;
  readonly onLost?: () => void;
  /**
   * Makes PostgreSQL plan each prepared statement only once per connection. Useful for callers that always run the same large statements
   * and look up rows by unique keys.
   */
  readonly lastingPlans?: boolean;
}

/**
 * Creates a pool. It calls `onLost`, which may restart the server, whenever a connection is lost. Statements that fail for this reason
 * throw `store.database_unavailable`.
 */
export function createPool(connection: Connection, options: PoolOptions = {}): Pool {
  const config = { ...toClientConfig(connection), query_timeout: options.silentMs ?? silentMs };
  const pool = new pg.Pool({
    ...config,
    max: options.size ?? 16,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    ...(options.lastingPlans === true ? { onConnect: keepPlans } : {}),
  });
  pool.on("error", () => options.onLost?.());
  const translate = (error: unknown): never => {
    if (!isConnectionLoss(error)) throw error;
    options.onLost?.();
    throw new Fault(storeFaults.database_unavailable, "the database is unreachable", { cause: error });
  };
  return {
    query: (statement) => pool.query(statement as pg.QueryConfig).catch(translate) as never,
    async transaction(work) {
      const client = await pool.connect().catch(translate);
      let broken: Error | undefined;
      // If the connection is lost between two statements, an unhandled error event would end the process.
      const onError = (): void => options.onLost?.();
      client.on("error", onError);
      try {
        await client.query("begin");
        const result = await work(client);
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback").catch((cause: Error) => (broken = cause));
        return translate(error);
      } finally {
        client.off("error", onError);
        client.release(broken);
      }
    },
    async connect() {
      const client = new pg.Client(config);
      // Without a listener, losing the connection would end the process. The "end" event informs the owner of the connection.
      client.on("error", () => options.onLost?.());
      await client.connect().catch(translate);
      return client;
    },
    close: () => pool.end(),
  };
}

/** Returns a promise. The driver awaits it, although the driver's type declarations do not mention this. */
function keepPlans(client: pg.ClientBase): unknown {
  return client.query("set plan_cache_mode = force_generic_plan");
}

const lossCodes = new Set([
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ENOTFOUND",
  "ETIMEDOUT",
]);

function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Fault) return false;
  const code = "code" in error ? String(error.code) : "";
  if (lossCodes.has(code) || code.startsWith("08")) return true;
  return (
    code === "" &&
    /Connection terminated|timeout exceeded when trying to connect|not queryable|Query read timeout/.test(error.message)
  );
}

/**
 * Returns whether PostgreSQL aborted a statement because of a deadlock or serialization failure. The statement wrote nothing, so it can be
 * retried.
 */
export function isCollision(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "40P01" || error.code === "40001");
}

const collisions = 10;

/** Retries a single statement if it collides with another one. PostgreSQL lets one of the two finish, so a retry usually succeeds. */
export async function retryCollisions<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isCollision(error) || attempt === collisions) throw error;
    }
  }
}

/**
 * Returns whether an error is a unique (23505) or foreign key (23503) violation. If `constraint` is given, only a violation of that
 * constraint counts.
 */
export function isViolation(error: unknown, code: "23505" | "23503", constraint?: string): boolean {
  if (!(error instanceof Error) || !("code" in error) || error.code !== code) return false;
  return constraint === undefined || ("constraint" in error && error.constraint === constraint);
}
