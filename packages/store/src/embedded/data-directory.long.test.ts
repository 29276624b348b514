import { mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHome, query, seedHomes, start } from "./fixtures/homes.ts";

const createSeededHome = seedHomes();

test("M098 a data directory left incomplete by a kill does not block the next start and is not deleted", async () => {
  const home = await createHome();
  await mkdir(join(home, "data", "base", "1"), { recursive: true });
  await writeFile(join(home, "data", "PG_VERSION"), "18\n");
  const server = await start(home);
  expect(await query(server, "select 1 as alive")).toEqual([{ alive: 1 }]);
  expect((await readdir(home)).filter((name) => name.startsWith("data.half-made-"))).toHaveLength(1);
});

test("M098 an empty data directory is initialised", async () => {
  const home = await createHome();
  await mkdir(join(home, "data"));
  expect(await query(await start(home), "select 1 as alive")).toEqual([{ alive: 1 }]);
});

test("M098 leftovers of a killed initialisation are removed once they are old", async () => {
  const home = await createSeededHome();
  for (const name of ["data.new-old", "data.new-young"]) await mkdir(join(home, name));
  await utimes(join(home, "data.new-old"), 0, 0);
  await start(home);
  expect((await readdir(home)).filter((name) => name.startsWith("data.new-"))).toEqual(["data.new-young"]);
});

test("M098 a data directory of another major version is rejected and left unchanged", async () => {
  const home = await createSeededHome();
  await (await start(home)).stop();
  await writeFile(join(home, "data", "PG_VERSION"), "14\n");
  await expect(start(home)).rejects.toMatchObject({ code: "store.embedded_other_version" });
  await writeFile(join(home, "data", "PG_VERSION"), "18\n");
  expect(await query(await start(home), "select 1 as alive")).toEqual([{ alive: 1 }]);
});

test("M098 a data directory with tables but without its control file is rejected and never replaced", async () => {
  const home = await createSeededHome();
  await (await start(home)).stop();
  await rm(join(home, "data", "global", "pg_control"));
  await expect(start(home)).rejects.toMatchObject({ code: "store.embedded_data_damaged" });
});

test("M098 a server that cannot start reports the reason immediately", async () => {
  const home = await createSeededHome();
  await (await start(home)).stop();
  await writeFile(join(home, "data", "postgresql.conf"), "no_such_setting = 1\n");
  await expect(start(home)).rejects.toMatchObject({ code: "store.embedded_start_failed" });
});
