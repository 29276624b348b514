import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { createTestDirectory } from "../testing/test-terraform.ts";
import { openRunLog } from "./run-log.ts";

test("M077 what was said is in the file before the log is closed, for its owner only", async () => {
  const path = join(createTestDirectory(), "a.log.gz");
  const log = openRunLog(path);
  await log.write(Buffer.from("first\n"));
  const unfinished = { finishFlush: constants.Z_SYNC_FLUSH };
  await vi.waitUntil(() => existsSync(path) && gunzipSync(readFileSync(path), unfinished).toString() === "first\n", {
    timeout: 30_000,
  });
  await log.write(Buffer.from("second\n"));
  expect(await log.close()).toBe(true);
  expect(gunzipSync(readFileSync(path)).toString()).toBe("first\nsecond\n");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("M077 a log that cannot be written says so at its end, and holds nobody up", async () => {
  const taken = join(createTestDirectory(), "a.log.gz");
  writeFileSync(taken, "somebody's");
  for (const path of [taken, join(taken, "below"), "/dev/full"]) {
    const log = openRunLog(path);
    for (let round = 0; round < 50; round += 1) await log.write(Buffer.alloc(100_000, String(round)));
    expect(await log.close()).toBe(false);
  }
  expect(readFileSync(taken, "utf8")).toBe("somebody's");
});
