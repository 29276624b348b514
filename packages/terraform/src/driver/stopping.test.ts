import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openFakeTerraform, type FakeTerraform } from "../testing/fake-terraform.ts";
import { testSpawn } from "../testing/test-terraform.ts";
import type { RunningChild } from "./spawn.ts";

const untilReady = (terraform: FakeTerraform) =>
  vi.waitUntil(() => existsSync(join(terraform.records, "ready")), { timeout: 60_000 });
const interrupts = (terraform: FakeTerraform) =>
  readFileSync(join(terraform.records, "interrupts"), "utf8").trim().split("\n").length;

test("X031 a run that is stopped gets one SIGINT and time to exit", async () => {
  const stop = new AbortController();
  const terraform = openFakeTerraform("wait", { signal: stop.signal, graceMs: 60_000 });
  const running = terraform.plan();
  await untilReady(terraform);
  stop.abort(new Error("enough"));
  expect(await running).toMatchObject({
    outcome: "cancelled",
    fault: { code: "terraform.cancelled" },
    report: { exitCode: 1, signal: null },
  });
  expect(interrupts(terraform)).toBe(1);
  expect(await terraform.init()).toMatchObject({ outcome: "cancelled", report: { exitCode: null } });
});

test("X031 a run that ignores SIGINT is killed after its grace period, with all processes that it started", async () => {
  const stop = new AbortController();
  const terraform = openFakeTerraform("stubborn", { signal: stop.signal, graceMs: 200 });
  const running = terraform.plan();
  await untilReady(terraform);
  const grandchild = Number(readFileSync(join(terraform.records, "grandchild"), "utf8"));
  expect(isAlive(grandchild)).toBe(true);
  stop.abort(new Error("enough"));
  expect(await running).toMatchObject({ outcome: "cancelled", report: { exitCode: null, signal: "SIGKILL" } });
  expect(interrupts(terraform)).toBe(1);
  await vi.waitUntil(() => !isAlive(grandchild), { timeout: 60_000 });
});

test("X031 if the agent stops its programs itself, the driver does not send a second SIGINT", async () => {
  const stop = new AbortController();
  let child: RunningChild | undefined;
  const terraform = openFakeTerraform("wait", { signal: stop.signal, stoppedBy: "spawner", graceMs: 1 }, async (...how) => {
    child = await testSpawn(...how);
    return child;
  });
  const running = terraform.plan();
  await untilReady(terraform);
  stop.abort(new Error("enough"));
  process.kill(-(child as RunningChild).pid, "SIGINT");
  expect(await running).toMatchObject({ outcome: "cancelled", report: { exitCode: 1 } });
  expect(interrupts(terraform)).toBe(1);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
