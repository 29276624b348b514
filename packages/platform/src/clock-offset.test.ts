import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createClockOffset } from "./clock-offset.ts";

describe("the clock offset", () => {
  test("is zero unless a file is configured", () => {
    expect(createClockOffset({})()).toBe(0);
  });

  test("follows its file, and keeps its value while the file cannot be read", async () => {
    const directory = mkdtempSync(join(tmpdir(), "clock-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, "offset");
    const offset = createClockOffset({ CLOUDWRIGHT_CLOCK_OFFSET_FILE: file });
    expect(offset()).toBe(0);
    writeFileSync(file, "3600000\n");
    await vi.waitFor(() => expect(offset()).toBe(3_600_000), { timeout: 60_000 });
    writeFileSync(file, "an hour");
    await expect.poll(offset).toBe(3_600_000);
    writeFileSync(file, "-5");
    await vi.waitFor(() => expect(offset()).toBe(-5), { timeout: 60_000 });
  });
});
