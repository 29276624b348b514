import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import { buffer, text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { createTestDirectory } from "../testing/test-terraform.ts";
import { readRunLog } from "./read-run-log.ts";
import { openRunLog } from "./run-log.ts";

test("M077 output is in the file before the log is closed, and only its owner can read it", async () => {
  const path = join(createTestDirectory(), "a.log.gz");
  const log = openRunLog(path);
  await log.write(Buffer.from("first\n"));
  const unfinished = { finishFlush: constants.Z_SYNC_FLUSH };
  await vi.waitUntil(() => existsSync(path) && gunzipSync(readFileSync(path), unfinished).toString() === "first\n", {
    timeout: 60_000,
  });
  await log.write(Buffer.from("second\n"));
  expect(await log.close()).toBe(true);
  expect(gunzipSync(readFileSync(path)).toString()).toBe("first\nsecond\n");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("M077 a log that cannot be written reports the failure when it is closed and does not delay the run", async () => {
  const taken = join(createTestDirectory(), "a.log.gz");
  writeFileSync(taken, "somebody's");
  for (const path of [taken, join(taken, "below"), "/dev/full"]) {
    const log = openRunLog(path);
    for (let round = 0; round < 50; round += 1) await log.write(Buffer.alloc(100_000, String(round)));
    expect(await log.close()).toBe(false);
  }
  expect(readFileSync(taken, "utf8")).toBe("somebody's");
});

test("M077 a log is read back chunk by chunk, even if it was never closed", async () => {
  const directory = createTestDirectory();
  const path = join(directory, "a.log.gz");
  const log = openRunLog(path);
  const whole = Buffer.from(Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`).join(""));
  await log.write(whole);
  await vi.waitUntil(async () => (await buffer(readRunLog(path))).equals(whole), { timeout: 60_000 });
  await log.write(Buffer.from("the end\n"));
  expect(await log.close()).toBe(true);
  expect(await text(readRunLog(path))).toBe(`${whole.toString()}the end\n`);
  const sizes: number[] = [];
  for await (const chunk of readRunLog(path)) sizes.push(chunk.length);
  expect(sizes.length).toBeGreaterThan(5);

  writeFileSync(join(directory, "rubbish"), "no log at all");
  for (const other of [join(directory, "rubbish"), join(directory, "none")]) {
    await expect(text(readRunLog(other))).rejects.toMatchObject({ code: "terraform.log_unreadable" });
  }
});
