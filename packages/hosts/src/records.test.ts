import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openRecords } from "./records.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "records-"));
});
afterEach(() => rm(directory, { recursive: true }));

test("another process finds the records, and a deletion leaves no file", async () => {
  const records = await openRecords<{ size: number }>(directory);
  await records.put("a", { size: 1 });
  await records.put("b", { size: 2 });
  const again = await openRecords<{ size: number }>(directory);
  expect(await again.list()).toEqual([{ size: 1 }, { size: 2 }]);
  await again.delete("a");
  await again.delete("a");
  expect(await records.find("a")).toBeUndefined();
  expect(await readdir(directory)).toEqual(["b.json"]);
});

test("an interrupted write keeps the previous record", async () => {
  const records = await openRecords<{ size: number }>(directory);
  await records.put("a", { size: 1 });
  await writeFile(join(directory, "a.json.next"), '{"si');
  expect(await records.list()).toEqual([{ size: 1 }]);
});

test("a damaged record and an id with a path separator are rejected", async () => {
  const records = await openRecords<unknown>(directory);
  await writeFile(join(directory, "a.json"), '{"si');
  await expect(records.find("a")).rejects.toMatchObject({ code: "hosts.bad_record" });
  await expect(records.put("../a", {})).rejects.toMatchObject({ code: "hosts.bad_record" });
});
