import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect, createHome, query, seedHomes, start } from "./fixtures/homes.ts";

const createSeededHome = seedHomes();

test("M098 a start on an empty home directory needs nothing else, and data survives a stop and start", async () => {
  const home = await createHome();
  const first = await start(home);
  await query(first, "create table kept as select 42 as value");
  await first.stop();
  await expect(query(first, "select 1")).rejects.toMatchObject({ code: "ENOENT" });

  const second = await start(home);
  expect(second.pid()).not.toBe(first.pid());
  expect(await query(second, "select value from kept")).toEqual([{ value: 42 }]);
});

test("M098 durability is on, nothing listens on the network, and the product's role is not a superuser", async () => {
  const server = await start(await createSeededHome());
  const names = ["fsync", "synchronous_commit", "full_page_writes", "data_checksums", "listen_addresses", "max_connections"];
  const settings = await query(
    server,
    `select name, setting from pg_settings where name in (${names.map((name) => `'${name}'`).join()})`,
  );
  expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: "on",
    synchronous_commit: "on",
    full_page_writes: "on",
    data_checksums: "on",
    listen_addresses: "",
    max_connections: "100",
  });
  expect(await query(server, "select rolsuper from pg_roles where rolname = current_user")).toEqual([{ rolsuper: false }]);
});

test("M098 only the server's user can access the socket", async () => {
  const home = await createSeededHome();
  await mkdir(join(home, "run"), { mode: 0o777 });
  const server = await start(home);
  expect((await stat(server.socketDirectory)).mode & 0o777).toBe(0o700);
});

test("M098 the log is in the home directory and contains no statements", async () => {
  const home = await createSeededHome();
  const server = await start(home);
  await query(server, "create table people (name text primary key)");
  const twice = "insert into people values ('canary-7f3a'), ('canary-7f3a')";
  await expect(query(server, twice)).rejects.toMatchObject({ code: "23505" });
  await server.stop();
  const log = await readFile(join(home, "postgres.log"), "utf8");
  expect(log).toContain("duplicate key value");
  expect(log).not.toContain("canary-7f3a");
});

test("M098 stop disconnects busy clients and may be called again", async () => {
  const server = await start(await createSeededHome());
  const client = await connect(server);
  await client.query("begin");
  await Promise.all([server.stop(), server.stop()]);
  await expect(client.query("select 1")).rejects.toThrow(/terminat|not queryable/);
  await server.stop();
});

test("M098 after an intended stop nothing restarts the server", async () => {
  const server = await start(await createSeededHome());
  await server.stop();
  await expect(server.ensureRunning()).rejects.toMatchObject({ code: "store.embedded_stopped" });
});
