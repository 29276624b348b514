import pg from "pg";
import { systemClock } from "@cloudwright/platform";

/** Queries a database that may be down for a while. Each attempt opens a new connection, because any connection may be cut. */
export async function queryWithRetry<Row extends pg.QueryResultRow>(
  connect: () => Promise<pg.ClientConfig>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await queryOnce<Row>(await connect(), text, values);
    } catch (error) {
      if (tries >= 120 || !isPassing(error)) throw error;
      await systemClock.sleep(500);
    }
  }
}

async function queryOnce<Row extends pg.QueryResultRow>(
  config: pg.ClientConfig,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const client = new pg.Client(config);
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Returns whether an error is temporary. Only invalid statements fail permanently. */
function isPassing(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === undefined || !/^(22|23|42)/.test(code);
}
