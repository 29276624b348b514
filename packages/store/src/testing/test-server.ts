import pg from "pg";
import { createLogger } from "@cloudwright/platform";
import { administrator } from "../embedded/data-directory.ts";
import { productName } from "../embedded/database.ts";
import { migrate } from "../migrate.ts";
import { joinTestPostgres } from "./test-postgres.ts";

/** Describes how suites reach or start this run's server. The global setup passes it to them. */
export type TestRun = { readonly prefix: string } & (
  | { readonly url: string }
  | { readonly home: string; readonly binDirectory: string | undefined }
);

/** The PostgreSQL server of a test run, with administrator access. */
export interface TestServer {
  readonly prefix: string;
  /** Role that owns the databases. */
  readonly owner: string;
  urlOf(database: string, role: "administrator" | "owner"): string;
}

/** Returns the run's server. The first suite that needs the server starts it, so that runs without database tests do not start one. */
export async function openTestServer(run: TestRun): Promise<TestServer> {
  if ("url" in run) {
    const { user } = new pg.Client({ connectionString: run.url });
    return { prefix: run.prefix, owner: user ?? administrator, urlOf: (database) => withDatabase(run.url, database) };
  }
  const { host, port } = await joinTestPostgres(run.home, run.binDirectory);
  const urlOf: TestServer["urlOf"] = (database, role) =>
    `postgresql://${role === "owner" ? productName : administrator}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
  return { prefix: run.prefix, owner: productName, urlOf };
}

/** Connects as the administrator and runs `work`. */
export async function administer<Result>(server: TestServer, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: server.urlOf("postgres", "administrator") });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const templateLock = 0x74657374; // "test"

/** Creates the migrated template once per run. Suites in other processes wait until it is complete. */
export async function ensureTemplate(server: TestServer): Promise<string> {
  const name = `${server.prefix}_template`;
  await administer(server, async (client) => {
    await client.query("select pg_advisory_lock($1)", [templateLock]);
    const { rows } = await client.query<{ datistemplate: boolean }>("select datistemplate from pg_database where datname = $1", [
      name,
    ]);
    // The template flag is set last. Without it, the template is incomplete, because the process that was creating it died.
    if (rows[0]?.datistemplate === true) return;
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name} owner ${pg.escapeIdentifier(server.owner)}`);
    await migrate({ log: createLogger({ level: "error", name: "test-postgres" }) }, { url: server.urlOf(name, "owner") });
    await client.query(`alter database ${name} is_template true`);
  });
  return name;
}

/** Drops the run's template and all databases that suites left behind. */
export async function dropRun(server: TestServer): Promise<void> {
  await administer(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>("select datname from pg_database where starts_with(datname, $1)", [
      server.prefix,
    ]);
    for (const { datname } of rows) {
      await client.query(`alter database ${datname} is_template false`);
      await client.query(`drop database if exists ${datname} with (force)`);
    }
  });
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
