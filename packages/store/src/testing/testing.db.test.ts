import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, findTestBinaries, startTestPostgres, type TestDatabase } from "./index.ts";

describe("test databases", () => {
  let first: TestDatabase;
  let second: TestDatabase;

  beforeAll(async () => {
    [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  });
  afterAll(async () => {
    await Promise.all([first.drop(), second.drop()]);
  });

  test("M099 each is migrated and isolated from the others", async () => {
    await query(first.url, "create table only_here (id integer)");
    const tables = "select relname from pg_class where relname in ('migration', 'only_here') order by relname";
    expect(await query(first.url, tables)).toEqual([{ relname: "migration" }, { relname: "only_here" }]);
    expect(await query(second.url, tables)).toEqual([{ relname: "migration" }]);
  });

  test("M099 the address as fields and as a URL lead to the same database", async () => {
    const client = new pg.Client(first.connection);
    await client.connect();
    const { rows } = await client.query("select current_database() as name, current_user as role");
    await client.end();
    expect(rows).toEqual(await query(first.url, "select current_database() as name, current_user as role"));
  });

  test("M099 dropping a database works even if a client is connected", async () => {
    const third = await createTestDatabase();
    const client = new pg.Client(third.connection);
    client.on("error", () => undefined);
    await client.connect();
    await third.drop();
    await expect(query(third.url, "select 1")).rejects.toMatchObject({ code: "3D000" });
    await client.end();
  });
});

describe("a server for one test", () => {
  test.for(["18", "15"] as const)(
    "M099 PostgreSQL %s starts in a temporary directory and leaves nothing behind",
    async (version, { skip }) => {
      const binaries = findTestBinaries(version);
      if ("reason" in binaries) return skip(binaries.reason);
      const server = await startTestPostgres(version);
      const url = `postgresql://${server.user}@localhost/cloudwright?host=${server.host}&port=${server.port}`;
      try {
        const [row] = await query(
          url,
          "select current_setting('server_version_num')::integer / 10000 as major, current_setting('fsync') as fsync",
        );
        expect(row).toEqual({ major: Number(version), fsync: "off" });
      } finally {
        await server.stop();
      }
      await expect(query(url, "select 1")).rejects.toMatchObject({ code: "ENOENT" });
    },
  );

  test("M099 CLOUDWRIGHT_PG15_BIN sets the location of the oldest version", () => {
    const found = findTestBinaries("15", { CLOUDWRIGHT_PG15_BIN: "/opt/pg15/bin" });
    expect(found).toEqual({ directory: "/opt/pg15/bin" });
  });
});

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
