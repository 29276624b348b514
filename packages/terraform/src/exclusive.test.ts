import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunningChild } from "./driver/spawn.ts";
import { doExclusively } from "./exclusive.ts";
import { createTestDirectory, testSpawn } from "./testing/test-terraform.ts";

async function startHolder(directory: string): Promise<RunningChild> {
  const child = await testSpawn(process.execPath, [join(import.meta.dirname, "fixtures/hold-directory.ts"), directory], {});
  child.stderr.resume();
  await once(child.stdout, "data");
  child.stdout.resume();
  return child;
}

test("M068 work runs one at a time, within one process and across processes", async () => {
  const directory = createTestDirectory();
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  const holder = await startHolder(directory);
  const all = Promise.all(Array.from({ length: 20 }, () => doExclusively(directory, work)));
  const other = await doExclusively(createTestDirectory(), () => Promise.resolve(most));
  expect(other).toBe(0);
  holder.stdin.end();
  await all;
  expect(most).toBe(1);
});

test("M068 a killed process releases its lock", async () => {
  const directory = createTestDirectory();
  const holder = await startHolder(directory);
  const waiting = doExclusively(directory, () => Promise.resolve("mine"));
  process.kill(holder.pid, "SIGKILL");
  expect(await waiting).toBe("mine");
});

test("M068 a waiting caller can abort, and a failure releases the lock", async () => {
  const directory = createTestDirectory();
  const holder = await startHolder(directory);
  const enough = new AbortController();
  const waiting = doExclusively(directory, () => Promise.resolve(), enough.signal);
  enough.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  holder.stdin.end();
  await holder.ended;
  await expect(doExclusively(directory, () => Promise.reject(new Error("broke")))).rejects.toThrow("broke");
  expect(await doExclusively(directory, () => Promise.resolve(1))).toBe(1);
});
