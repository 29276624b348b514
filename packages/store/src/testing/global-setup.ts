import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { processEnvironment } from "@cloudwright/platform";
import { createTestHome, findTestBinaries, removeTestHome, testHomePrefix } from "./test-postgres.ts";
import { dropRun, openTestServer, type TestRun } from "./test-server.ts";

/** Provides the suites with the address of this run's PostgreSQL server. Stops the server after the last suite. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const prefix = `cloudwright_test_${randomBytes(4).toString("hex")}`;
  const url = processEnvironment["CLOUDWRIGHT_TEST_DATABASE_URL"] || undefined;
  if (url !== undefined) {
    const run: TestRun = { prefix, url };
    project.provide("testPostgres", run);
    return async () => dropRun(await openTestServer(run));
  }

  const version = processEnvironment["CLOUDWRIGHT_TEST_PG"] || "18";
  if (version !== "15" && version !== "18") throw new Error(`CLOUDWRIGHT_TEST_PG is "${version}", not 15 or 18`);
  const binaries = findTestBinaries(version);
  if ("reason" in binaries) {
    // The requested PostgreSQL version is not installed. Exits before any suite runs, so that none counts as passed.
    console.log(`skipped: ${binaries.reason}`);
    process.exit(0);
  }
  await removeAbandoned();
  const home = await createTestHome();
  project.provide("testPostgres", { prefix, home, binDirectory: binaries.directory });
  return () => removeTestHome(home);
}

/** Stops servers that killed test runs left behind. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(testHomePrefix) ? Number.parseInt(name.slice(testHomePrefix.length), 10) : Number.NaN;
    if (Number.isInteger(pid) && !isAlive(pid)) await removeTestHome(join(tmpdir(), name)).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
