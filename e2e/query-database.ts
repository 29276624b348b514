import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";

/** Queries the embedded database directly, bypassing the server. */
export async function queryDatabase<Result>(dataDirectory: string, ask: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const lock = (await readFile(join(dataDirectory, "postmaster.pid"), "utf8")).split("\n");
  const client = new pg.Client({ host: lock[4] ?? "", port: Number(lock[3]), user: "cloudwright", database: "cloudwright" });
  await client.connect();
  try {
    return await ask(client);
  } finally {
    await client.end();
  }
}
