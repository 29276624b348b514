import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { Fault, type Logger } from "@cloudwright/platform";
import { storeFaults } from "./faults.ts";
import { toClientConfig, type Connection } from "./pool.ts";

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

const advisoryLock = 0x636c6f75; // "clou"
const oldestServer = 150_000;

/** Migrates the database to the schema of this release. Replicas that start at the same time wait for each other. */
export async function migrate(deps: { log: Logger }, connection: Connection, migrations = readMigrations()): Promise<void> {
  const client = new pg.Client({ ...toClientConfig(connection), statement_timeout: 0 });
  await client.connect();
  try {
    await requireServerVersion(client);
    await client.query("select pg_advisory_lock($1)", [advisoryLock]);
    await client.query(
      "create table if not exists migration (version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())",
    );
    const { rows } = await client.query<{ version: number; name: string; checksum: string }>(
      "select version, name, checksum from migration order by version",
    );
    for (const applied of rows) requireKnown(applied, migrations);
    const done = new Set(rows.map((row) => row.version));
    for (const migration of migrations.filter((candidate) => !done.has(candidate.version))) {
      await apply(client, migration);
      deps.log.info({ version: migration.version, migration: migration.name }, "migrated the database");
    }
  } finally {
    await client.end();
  }
}

function requireKnown(applied: { version: number; name: string; checksum: string }, migrations: readonly Migration[]): void {
  const known = migrations.find((migration) => migration.version === applied.version);
  if (known === undefined) {
    throw new Fault(storeFaults.database_newer, `the database has migration ${applied.name}, which this release does not know`);
  }
  if (known.checksum !== applied.checksum) {
    throw new Fault(
      storeFaults.migration_edited,
      `migration ${applied.name} was applied with different contents than in this release`,
    );
  }
}

async function requireServerVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>("select current_setting('server_version_num') as version");
  const version = Number(rows[0]?.version);
  if (version < oldestServer) {
    throw new Fault(storeFaults.database_too_old, `the server is PostgreSQL ${Math.floor(version / 10_000)}`);
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query("begin");
  try {
    await client.query(migration.sql);
    await client.query("insert into migration (version, name, checksum) values ($1, $2, $3)", [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** Returns the migrations of this release, ordered by version. */
export function readMigrations(): Migration[] {
  const folder = new URL("./migrations/", import.meta.url);
  const files = readdirSync(folder).filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file));
  return files.toSorted().map((file) => {
    const sql = readFileSync(new URL(file, folder), "utf8");
    return { version: Number(file.slice(0, 4)), name: file, sql, checksum: createHash("sha256").update(sql).digest("hex") };
  });
}
