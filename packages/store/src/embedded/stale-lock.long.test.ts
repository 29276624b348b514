import { spawn } from "node:child_process";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { query, seedHomes, serve, start } from "./fixtures/homes.ts";

const createHome = seedHomes();

test("M098 the lock of a killed server does not block the next start", async () => {
  const home = await createHome();
  await killBoth(home);
  expect(await isServed(home)).toBe(true);
});

test("M098 a lock whose process id now belongs to another program does not block the next start", async () => {
  const home = await createHome();
  const { socketDirectory } = await killBoth(home);
  // The test needs a separate program, because PostgreSQL ignores a lock that contains the process id of its own parent.
  const program = spawn("sleep", ["600"]);
  onTestFinished(() => void program.kill());
  for (const lock of [join(home, "data", "postmaster.pid"), join(socketDirectory, ".s.PGSQL.5432.lock")]) {
    const [, ...rest] = (await readFile(lock, "utf8")).split("\n");
    await writeFile(lock, [program.pid, ...rest].join("\n"));
  }
  expect(await isServed(home)).toBe(true);
});

test("M098 a lock whose process id now belongs to another home's database does not block the next start", async () => {
  const home = await createHome();
  await killBoth(home);
  const neighbour = await start(await createHome());
  const lock = join(home, "data", "postmaster.pid");
  const [, ...rest] = (await readFile(lock, "utf8")).split("\n");
  await writeFile(lock, [neighbour.pid(), ...rest].join("\n"));
  expect(await isServed(home)).toBe(true);
  expect(await query(neighbour, "select 1 as alive")).toEqual([{ alive: 1 }]);
});

test("M098 an empty lock left behind by a full disk does not block the next start", async () => {
  const home = await createHome();
  await killBoth(home);
  const lock = join(home, "data", "postmaster.pid");
  await writeFile(lock, "");
  await utimes(lock, 0, 0);
  expect(await isServed(home)).toBe(true);
});

async function killBoth(home: string): Promise<{ socketDirectory: string }> {
  const { child, ended, address } = await serve(home);
  await query(address, "create table kept as select true as is_served");
  process.kill(address.pid, "SIGKILL");
  child.kill("SIGKILL");
  await ended;
  return address;
}

async function isServed(home: string): Promise<unknown> {
  const [row] = await query(await start(home), "select is_served from kept");
  return row?.["is_served"];
}
