import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkJournal } from "./check-journal.ts";

// Each test plants one violation, to prove that the check would find it.
describe("M047 the journal written by the programs", () => {
  const program = join(import.meta.dirname, "../../packages/task-client/src/demo/child.sh");
  let directory: string;
  let journal: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "journal-"));
    journal = join(directory, "journal");
    mkdirSync(`${journal}.locks`);
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const write = (...lines: readonly [event: string, pid: number, task: string, at: number][]): void =>
    writeFileSync(
      journal,
      lines.map(([event, pid, task, at]) => `${JSON.stringify({ event, pid, task, entity: "e", attempt: 1, at })}\n`).join(""),
    );
  const positions = new Map([
    ["first", 1],
    ["second", 2],
  ]);
  const start = (task: string, beats: number): ChildProcessWithoutNullStreams =>
    spawn("/bin/sh", [program, journal, task, "e", "1", String(beats), "done", ""]);
  const run = (task: string): Promise<unknown> => once(start(task, 3), "close");

  test("detects programs of one entity that ran at the same time, including a killed one", () => {
    write(["start", 1, "first", 1], ["beat", 1, "first", 3], ["start", 2, "second", 2], ["end", 2, "second", 4]);
    expect(checkJournal(journal, positions)).toMatchObject({
      runs: 2,
      killed: 1,
      overlaps: [expect.stringContaining("entity e")],
    });
  });

  test("detects tasks that ran out of order", () => {
    write(["start", 1, "second", 1], ["end", 1, "second", 2], ["start", 2, "first", 3], ["end", 2, "first", 4]);
    expect(checkJournal(journal, positions)).toMatchObject({ overlaps: [], disorder: [expect.stringContaining("entity e")] });
  });

  test("is written by real programs: lock and lines reveal two concurrent ones, and consecutive ones pass", async () => {
    await run("first");
    await run("second");
    expect(checkJournal(journal, positions)).toEqual({ runs: 2, killed: 0, overlaps: [], disorder: [] });
    // The first program runs until the second one has ended, so they overlap however slow the machine is.
    const first = start("first", 100_000);
    await once(first.stdout, "data");
    await run("second");
    first.kill("SIGINT");
    await once(first, "close");
    const { overlaps } = checkJournal(journal, new Map());
    expect(overlaps.some((text) => text.includes("held the lock"))).toBe(true);
    expect(overlaps.length).toBeGreaterThan(1);
  });
});
