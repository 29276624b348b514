import pg from "pg";
import { Fault } from "@cloudwright/platform";
import { storeFaults } from "./faults.ts";

/** The address of the database: a URL, or the socket directory of the embedded server. */
export type Connection =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

/** Runs statements: a pool, or one client inside a transaction. */
export interface Database {
  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>>;
}

/** A statement. Named statements are prepared once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

export interface Pool extends Database {
  transaction<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  /** Opens a separate connection, for LISTEN. The caller must end it. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

/** Converts connection settings into the form that the driver expects. */
export function toClientConfig(connection: Connection): pg.ClientConfig {
  const where = "url" in connection ? { connectionString: connection.url } : { ...connection };
  return { ...where, application_name: "cloudwright", idle_in_transaction_session_timeout: 60_000, statement_timeout: 30_000 };
}

/** The server cancels every statement before this time. A server that has not answered by then is frozen or disconnected. */
const silentMs = 45_000;

export interface PoolOptions {
  readonly size?: number;
  readonly silentMs?: number;
  readonly onLost?: () => void;
  /** Plans each statement once per connection. For callers that always run the same large statements by unique keys. */
  readonly lastingPlans?: boolean;
}

/** Creates a pool. A lost connection becomes `store.database_unavailable`, after `onLost` had a chance to restart the server. */
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
      // Between two statements nothing awaits the connection: without a listener, losing it would end the process.
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
      // Without a listener a lost connection would end the process. Its owner learns of it from the event "end".
      client.on("error", () => options.onLost?.());
      await client.connect().catch(translate);
      return client;
    },
    close: () => pool.end(),
  };
}

/** Returns a promise for which the driver waits, although its types do not say so. */
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

/** Returns whether two statements blocked each other. Nothing was written then, and a retry may succeed. */
export function isCollision(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "40P01" || error.code === "40001");
}

const collisions = 10;

/** Runs a single statement again if it collided with another one, which PostgreSQL has let finish first. */
export async function retryCollisions<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isCollision(error) || attempt === collisions) throw error;
    }
  }
}

/** Returns whether an error is the violation of the named constraint, or of any constraint of its class. */
export function isViolation(error: unknown, code: "23505" | "23503", constraint?: string): boolean {
  if (!(error instanceof Error) || !("code" in error) || error.code !== code) return false;
  return constraint === undefined || ("constraint" in error && error.constraint === constraint);
}
