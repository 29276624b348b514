import { createManualClock } from "@cloudwright/platform";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createRunLogs, type RunLogs } from "./run-logs.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "logs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "logs");
}

function keep(logs: RunLogs, uid: string, bytes: number): void {
  const folder = logs.open(uid);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "x.log.gz"), Buffer.alloc(bytes));
  logs.close(uid);
}

test("M077 the logs of the latest runs are kept in a private folder, up to a size and count limit", () => {
  const directory = makeFolder();
  const logs = createRunLogs({ directory, keepBytes: 1000, keepRuns: 3 });
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  for (const uid of ["a", "b", "c", "d"]) keep(logs, uid, 100);
  expect(readdirSync(directory)).toEqual(["b", "c", "d"]);
  keep(logs, "e", 850);
  expect(readdirSync(directory)).toEqual(["d", "e"]);
  expect(logs.open("../../etc")).toBe(join(directory, "______etc"));
});

test("M077 logs of earlier processes count towards the limits and are removed when they are too old", () => {
  const directory = makeFolder();
  const clock = createManualClock(Date.now());
  keep(createRunLogs({ directory }, { clock }), "old", 10);
  clock.advance(10_000);
  const logs = createRunLogs({ directory, keepMs: 60_000 }, { clock });
  expect(readdirSync(directory)).toEqual(["old"]);
  clock.advance(55_000);
  keep(logs, "new", 10);
  expect(readdirSync(directory)).toEqual(["new"]);
});
