import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

test("M206 this machine is checked without a server, and what is missing is named with a remedy", async () => {
  const { run, server } = createFakeWorld();
  const { code, out } = await run("local", "check");
  expect([0, 10]).toContain(code);
  expect(out).toMatch(/^(ok|missing)\s+linux\s/);
  expect(out).toMatch(/This machine can(not)? be a host of the local cloud/);
  const structured = JSON.parse((await run("local", "check", "-o", "json")).out) as { isCapable: boolean; checks: unknown[] };
  expect([structured.isCapable, structured.checks.length > 10]).toEqual([code === 0, true]);
  expect(server.requests).toEqual([]);
});

test("M206 nothing is removed from a machine that was never a host, or without consent", async () => {
  const { run, home } = createFakeWorld();
  expect(await run("local", "clean")).toMatchObject({ code: 0, out: expect.stringContaining("nothing to remove") as string });
  const elsewhere = join(home, "elsewhere");
  mkdirSync(join(elsewhere, "host"), { recursive: true });
  const isRoot = process.getuid?.() === 0;
  const refused = await run("local", "clean", "--agent-dir", elsewhere);
  expect(refused).toMatchObject({ code: isRoot ? 4 : 5, err: expect.stringContaining(isRoot ? "--yes" : "root") as string });
});
