import { askDatabase } from "../behind-the-server.ts";

/** All rows of all tables as text. */
export function dumpTables(dataDirectory: string): Promise<string> {
  return askDatabase(dataDirectory, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' order by 1",
    );
    const parts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
      parts.push(`-- ${name}`, ...rows.map(({ row }) => row));
    }
    return parts.join("\n");
  });
}
