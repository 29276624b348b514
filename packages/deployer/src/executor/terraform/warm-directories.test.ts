import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createWarmDirectories, type WarmDirectories } from "./warm-directories.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "warm-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function use(warm: WarmDirectories, uid: string, purpose = "v1", wentWell = true): string {
  const loan = warm.lend(uid, purpose);
  if (loan === undefined) throw new Error("the directory is in use");
  mkdirSync(loan.directory, { recursive: true });
  writeFileSync(join(loan.directory, "used"), purpose);
  loan.end(wentWell);
  return join(loan.directory, "used");
}

test("M061 an entity reuses its directory until its configuration changes, a run fails, or the entity is deleted", () => {
  const warm = createWarmDirectories({ directory: makeFolder() });
  const file = use(warm, "a");
  const again = warm.lend("a", "v1");
  expect(existsSync(file)).toBe(true);
  expect(warm.lend("a", "v1")).toBeUndefined();
  again?.end(true);
  warm.lend("a", "v2")?.end(true);
  expect(existsSync(file)).toBe(false);
  use(warm, "a", "v2");
  expect(existsSync(use(warm, "a", "v2", false))).toBe(false);
  use(warm, "a");
  warm.drop("a");
  expect(existsSync(file)).toBe(false);
});

test("M061 the count of directories is limited, and an agent starts without any", () => {
  const directory = makeFolder();
  const warm = createWarmDirectories({ directory, most: 2 });
  const [a, b] = [use(warm, "a"), use(warm, "b")];
  use(warm, "a");
  use(warm, "c");
  expect([existsSync(a), existsSync(b)]).toEqual([true, false]);
  const next = createWarmDirectories({ directory });
  expect(existsSync(a)).toBe(true);
  next.lend("z", "v1")?.end(true);
  expect(existsSync(a)).toBe(false);
});

test("M061 M072 the next process removes the directories of a killed agent, once", () => {
  const directory = makeFolder();
  mkdirSync(join(directory, "a"));
  writeFileSync(join(directory, "a", "b.tfplan"), "secrets in clear");
  const warm = createWarmDirectories({ directory });
  expect(existsSync(join(directory, "a"))).toBe(true);
  warm.open();
  expect(existsSync(join(directory, "a"))).toBe(false);
  const file = use(warm, "a");
  warm.open();
  expect(existsSync(file)).toBe(true);
});

test("M061 an initialised directory is copied for a run that needs its own directory, but never over an existing one", () => {
  const folder = makeFolder();
  const warm = createWarmDirectories({ directory: join(folder, "warm") });
  use(warm, "a");
  warm.copyTo(join(folder, "other"), "a", "v2");
  expect(existsSync(join(folder, "other"))).toBe(false);
  warm.copyTo(join(folder, "own"), "a", "v1");
  expect(existsSync(join(folder, "own", "used"))).toBe(true);
  mkdirSync(join(folder, "there"));
  warm.copyTo(join(folder, "there"), "a", "v1");
  expect(existsSync(join(folder, "there", "used"))).toBe(false);
  const lent = warm.lend("a", "v1");
  warm.copyTo(join(folder, "busy"), "a", "v1");
  expect(existsSync(join(folder, "busy"))).toBe(false);
  lent?.end(true);
});
