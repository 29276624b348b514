import { queryDatabase } from "../query-database.ts";

/** Returns all rows of all tables as text. */
export function dumpTables(dataDirectory: string): Promise<string> {
  return queryDatabase(dataDirectory, async (client) => {
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

/** Returns every stored value of every bytea column. */
export function dumpBytes(dataDirectory: string): Promise<{ readonly where: string; readonly bytes: Buffer }[]> {
  return queryDatabase(dataDirectory, async (client) => {
    const { rows: columns } = await client.query<{ table: string; column: string }>(
      `select quote_ident(table_name) as table, quote_ident(column_name) as column from information_schema.columns
       where table_schema = 'public' and data_type = 'bytea' order by 1, 2`,
    );
    const all: { where: string; bytes: Buffer }[] = [];
    for (const { table, column } of columns) {
      const { rows } = await client.query<{ bytes: Buffer }>(
        `select ${column} as bytes from ${table} where ${column} is not null`,
      );
      all.push(...rows.map(({ bytes }) => ({ where: `${table}.${column}`, bytes })));
    }
    return all;
  });
}
