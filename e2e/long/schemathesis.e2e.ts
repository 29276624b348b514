import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAdminCalls } from "../admin-calls.ts";
import { findSchemathesis, runSchemathesis } from "../schemathesis/run-schemathesis.ts";
import { seedExamples } from "../schemathesis/seed-examples.ts";
import { startServer, type RunningServer } from "../server.ts";

const tool = findSchemathesis();

if (!tool.found) console.log(`skipped the schemathesis suite: ${tool.reason}; CLOUDWRIGHT_SCHEMATHESIS can name the program`);

describe.skipIf(!tool.found)("schemathesis", () => {
  let server: RunningServer;
  let folder: string;

  beforeAll(async () => {
    server = await startServer({ environment: { CLOUDWRIGHT_REQUESTS_PER_SECOND: "100000", CLOUDWRIGHT_LOG_LEVEL: "warn" } });
    folder = await mkdtemp(join(tmpdir(), "cw-schemathesis-"));
  });
  afterAll(async () => {
    await server?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  test.for([
    { role: "owner", project: "system", phases: "examples,coverage,fuzzing" },
    // Skips the `coverage` phase, because most of its requests would be denied before validation.
    { role: "viewer", project: "default", phases: "examples,fuzzing" },
  ])("M001 M013 finds no undocumented response and no failure with the key of one $role", async ({ role, project, phases }) => {
    const admin = createAdminCalls(server);
    await seedExamples(admin);
    const { key, cookie } = await admin.createUser(`fuzz-${role}`, role, project);
    const report = await runSchemathesis({ address: server.address, folder, key, cookie, phases });
    expect(report.failures).toEqual([]);
    expect(report.errors).toEqual([]);
    expect(report.tested).toBeGreaterThan(80);
    // The user must still exist. If a request had deleted it, the rest of the run would have tested nothing.
    expect(await admin.whoIs(key)).toBe(`fuzz-${role}`);
    expect(server.process.stderr()).not.toContain('"level":"error"');
  });
});
