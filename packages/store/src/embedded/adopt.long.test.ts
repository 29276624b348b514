import { expect, test } from "vitest";
import { createHome, query, seedHomes, serve, start } from "./fixtures/homes.ts";
import { readCommandLine } from "./process-table.ts";

const createSeededHome = seedHomes();

test("M098 after our process is killed, the next start adopts the running database and can stop it", async () => {
  const home = await createSeededHome();
  const { child, ended, address } = await serve(home);
  await query(address, "create table kept as select 42 as value");
  child.kill("SIGKILL");
  await ended;

  const server = await start(home);
  expect(server.pid()).toBe(address.pid);
  expect(await query(server, "select value from kept")).toEqual([{ value: 42 }]);
  await server.stop();
  // The process may not have been reaped yet. In that case, its command line is empty.
  expect((await readCommandLine(address.pid)) ?? "").toBe("");
});

test("M098 processes that start at the same time on an empty home share one server", async () => {
  const home = await createHome();
  const served = await Promise.all([serve(home), serve(home), start(home)]);
  const pids = served.map((one) => ("address" in one ? one.address.pid : one.pid()));
  expect(new Set(pids).size).toBe(1);
});

test("M098 processes that start at the same time after a crash share one server", async () => {
  const home = await createSeededHome();
  const { child, ended, address } = await serve(home);
  process.kill(address.pid, "SIGKILL");
  child.kill("SIGKILL");
  await ended;
  const servers = await Promise.all([start(home), start(home), start(home)]);
  expect(new Set(servers.map((server) => server.pid())).size).toBe(1);
  expect(servers[0].pid()).not.toBe(address.pid);
});

test("M098 an adopted database that dies is restarted", async () => {
  const home = await createSeededHome();
  const { address } = await serve(home);
  const server = await start(home);
  process.kill(server.pid(), "SIGKILL");
  await server.ensureRunning();
  expect(server.pid()).not.toBe(address.pid);
  expect(await query(server, "select 1 as alive")).toEqual([{ alive: 1 }]);
});

test("M098 Ctrl-C in our terminal does not reach the database", async () => {
  const home = await createSeededHome();
  const { child, ended, address } = await serve(home);
  process.kill(-(child.pid as number), "SIGINT");
  await ended;
  expect(await query(address, "select 1 as alive")).toEqual([{ alive: 1 }]);
});
