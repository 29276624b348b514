import { connect } from "node:net";
import pg from "pg";
import { administrator } from "./data-directory.ts";
import { socketPath } from "./socket-directory.ts";

/** Name of the product's database, and of the role that owns it. */
export const productName = "cloudwright";

/** Returns whether a server is listening on the socket. */
export async function answers(socketDirectory: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath(socketDirectory));
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on("connect", () => end(true));
    socket.on("error", () => end(false));
  });
}

/** Creates the product's role and database unless they exist. */
export async function ensureDatabase(where: { host: string; port: number }): Promise<void> {
  const client = new pg.Client({ ...where, user: administrator, database: "postgres", connectionTimeoutMillis: 30_000 });
  // If the connection is lost while idle, the next statement reports it.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await createMissing(client, "select 1 from pg_roles where rolname = $1", `create role ${productName} login`);
    await createMissing(
      client,
      "select 1 from pg_database where datname = $1",
      `create database ${productName} owner ${productName}`,
    );
  } finally {
    await client.end();
  }
}

const existsAlready = new Set(["42710", "42P04", "23505"]);

async function createMissing(client: pg.Client, look: string, create: string): Promise<void> {
  const { rowCount } = await client.query(look, [productName]);
  if (rowCount !== 0) return;
  await client.query(create).catch((error: { code?: string }) => {
    // If the role or database already exists, another process has created it concurrently.
    if (!existsAlready.has(error.code ?? "")) throw error as Error;
  });
}
