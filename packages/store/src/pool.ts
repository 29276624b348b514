import pg from "pg";
import { Fault } from "@cloudwright/platform";
import { storeFaults } from "./faults.ts";

/** Where the database is: a URL, or a socket directory of the embedded one. */
export type Connection =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

/** What statements need: the pool, or one client inside a transaction. */
export interface Database {
  query<Row extends pg.QueryResultRow>(statement: Statement): Promise<pg.QueryResult<Row>>;
}

/** A statement; named ones are prepared once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

export interface Pool extends Database {
  transaction<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  /** A connection of its own, for LISTEN; the caller ends it. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

/** Connection settings in the form of the driver. */
export function toClientConfig(connection: Connection): pg.ClientConfig {
  const where = "url" in connection ? { connectionString: connection.url } : { ...connection };
  return { ...where, application_name: "cloudwright", idle_in_transaction_session_timeout: 60_000, statement_timeout: 30_000 };
}

/** A server ends every statement before; one that has not answered by then is frozen, or cut off without a word. */
const silentMs = 45_000;

export interface PoolOptions {
  readonly size?: number;
  readonly silentMs?: number;
  readonly onLost?: () => void;
  /** Statements are planned once per connection. For those who always ask the same large questions, by unique keys. */
  readonly lastingPlans?: boolean;
}

/** Builds the pool; lost connections become `store.database_unavailable`, after `onLost` had a chance to revive the server. */
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
    throw new Fault(storeFaults.database_unavailable, "the database cannot be reached", { cause: error });
  };
  return {
    query: (statement) => pool.query(statement as pg.QueryConfig).catch(translate) as never,
    async transaction(work) {
      const client = await pool.connect().catch(translate);
      let broken: Error | undefined;
      // Between two statements nobody waits for an answer: without a listener a lost connection would end the process.
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
      // Without a listener a lost connection would end the process; its owner hears of it through "end".
      client.on("error", () => options.onLost?.());
      await client.connect().catch(translate);
      return client;
    },
    close: () => pool.end(),
  };
}

/** Answers what the driver waits for, though its types do not say that it does. */
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

/** Whether two statements got into each other's way: nothing was written, and the same again may go through. */
export function isCollision(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "40P01" || error.code === "40001");
}

const collisions = 10;

/** Runs one statement of its own again when it got into another's way; each time PostgreSQL has let the other one go first. */
export async function retryCollisions<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isCollision(error) || attempt === collisions) throw error;
    }
  }
}

/** Whether an error is the violation of the named constraint or of any of its class. */
export function isViolation(error: unknown, code: "23505" | "23503", constraint?: string): boolean {
  if (!(error instanceof Error) || !("code" in error) || error.code !== code) return false;
  return constraint === undefined || ("constraint" in error && error.constraint === constraint);
}
