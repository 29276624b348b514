import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeInventory } from "../testing/inventory-suite.ts";
import { createFileInventory } from "./file-inventory.ts";
import { createMemoryInventory } from "./memory-inventory.ts";

let folder: string;
const fileName = "t-e3b98a4da31a127d4bde6e43033f66ba.json";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "inventory-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describeInventory("in memory", async () => createMemoryInventory());
describeInventory("in files", async () => createFileInventory(folder));

const run = promisify(execFile);

test("a process sees what others wrote, and concurrent writers do not lose changes", async () => {
  const script = `
    import { createFileInventory } from ${JSON.stringify(join(import.meta.dirname, "file-inventory.ts"))};
    const inventory = createFileInventory(process.argv[1]);
    const ids = Array.from({ length: 30 }, (_, index) => process.argv[2] + index);
    await Promise.all(ids.slice(0, 15).map((id) => inventory.create("t", { type: "thing", id, attributes: {} })));
    for (const id of ids.slice(15)) await inventory.create("t", { type: "thing", id, attributes: {} });`;
  const inventory = createFileInventory(folder);
  expect(await inventory.list("t")).toEqual([]);
  await Promise.all(["a", "b", "c"].map((name) => run(process.execPath, ["--input-type=module", "-e", script, folder, name])));
  expect(await inventory.list("t")).toHaveLength(90);
  expect(readdirSync(folder)).toEqual([fileName]);
});

test("concurrent changes are written together", async () => {
  const inventory = createFileInventory(folder);
  await inventory.put("t", { type: "thing", id: "first", attributes: {} });
  const inodes = new Set([statSync(join(folder, fileName)).ino]);
  const noteInode = (): unknown => inodes.add(statSync(join(folder, fileName)).ino);
  const ids = Array.from({ length: 100 }, (_, index) => String(index));
  await Promise.all(ids.map((id) => inventory.put("t", { type: "thing", id, attributes: {} }).then(noteInode)));
  expect(inodes.size).toBeLessThanOrEqual(3);
  expect(await createFileInventory(folder).list("t")).toHaveLength(101);
});

test("the lock of a killed process is taken over", async () => {
  const { pid } = execFile(process.execPath, ["-e", ""]);
  const inventory = createFileInventory(folder);
  await inventory.put("t", { type: "thing", id: "1", attributes: {} });
  await expect.poll(() => isGone(pid ?? 0)).toBe(true);
  writeFileSync(join(folder, `${fileName}.lock`), `${pid} token`);
  await inventory.put("t", { type: "thing", id: "2", attributes: {} });
  expect(await inventory.list("t")).toHaveLength(2);
});

test("a lock is taken over after a time limit even if another process has the holder's process id", async () => {
  const lock = join(folder, `${fileName}.lock`);
  writeFileSync(lock, `${process.pid} token`);
  utimesSync(lock, new Date(0), new Date(0));
  const inventory = createFileInventory(folder);
  await inventory.put("t", { type: "thing", id: "1", attributes: {} });
  expect(await inventory.list("t")).toHaveLength(1);
});

test("only the owner can read an inventory file", async () => {
  await createFileInventory(folder).put("t", { type: "thing", id: "1", attributes: { key: "secret" } });
  expect(statSync(join(folder, fileName)).mode & 0o077).toBe(0);
});

test("a damaged file causes a fault and stays unchanged", async () => {
  const file = join(folder, fileName);
  writeFileSync(file, '[{"type":');
  const inventory = createFileInventory(folder);
  const unreadable = expect.objectContaining({ code: "simulator.inventory_unreadable" });
  await expect(inventory.list("t")).rejects.toThrow(unreadable);
  await expect(inventory.put("t", { type: "thing", id: "1", attributes: {} })).rejects.toThrow(unreadable);
  expect(readFileSync(file, "utf8")).toBe('[{"type":');
});

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
