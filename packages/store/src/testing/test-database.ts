import { randomBytes } from "node:crypto";
import pg from "pg";
import { administer, ensureTemplate, openTestServer, type TestRun, type TestServer } from "./test-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly testPostgres: TestRun;
  }
}

/** A migrated database for one suite. */
export interface TestDatabase {
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
    readonly password?: string;
  };
  readonly url: string;
  drop(): Promise<void>;
}

let opened: Promise<{ server: TestServer; template: string }> | undefined;

/** Creates a database as a clone of the run's template. Requires `global-setup.ts` from this folder. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { server, template } = await (opened ??= open());
  const name = `${server.prefix}_${randomBytes(6).toString("hex")}`;
  const owner = pg.escapeIdentifier(server.owner);
  await administer(server, (client) => client.query(`create database ${name} template ${template} owner ${owner}`));
  const url = server.urlOf(name, "owner");
  return {
    connection: toConnection(url, name),
    url,
    drop: async () => void (await administer(server, (client) => client.query(`drop database if exists ${name} with (force)`))),
  };
}

async function open(): Promise<{ server: TestServer; template: string }> {
  // Imported lazily, so that programs without vitest can use the other files in this folder.
  const { inject } = await import("vitest");
  const server = await openTestServer(inject("testPostgres"));
  return { server, template: await ensureTemplate(server) };
}

function toConnection(url: string, database: string): TestDatabase["connection"] {
  const { host, port, user, password } = new pg.Client({ connectionString: url });
  const where = { host, port, user: user ?? "", database };
  return typeof password === "string" && password !== "" ? { ...where, password } : where;
}
