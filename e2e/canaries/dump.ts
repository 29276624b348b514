import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";

/** All rows of all tables as text, read from the embedded database of a home behind the server's back. */
export async function dumpTables(dataDirectory: string): Promise<string> {
  const lock = (await readFile(join(dataDirectory, "postmaster.pid"), "utf8")).split("\n");
  const client = new pg.Client({ host: lock[4] ?? "", port: Number(lock[3]), user: "cloudwright", database: "cloudwright" });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' order by 1",
    );
    const parts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
      parts.push(`-- ${name}`, ...rows.map(({ row }) => row));
    }
    return parts.join("\n");
  } finally {
    await client.end();
  }
}
