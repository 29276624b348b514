import { Fault } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createChildren } from "./children.ts";
import { taskClientFaults } from "./faults.ts";
import { findProcessMark, killGroups, killLeases, leaseVariable, type ProcessMark } from "./process-table.ts";
import { createCleanup, createTestDirectory } from "./testing/test-agent.ts";
import type { Watchdog } from "./watchdog/watchdog.ts";

const cleanup = createCleanup();
let directory: string;
const isAlive = (pid: number): boolean => findProcessMark(pid) !== undefined;

beforeEach(() => {
  directory = createTestDirectory(cleanup);
});
afterEach(() => cleanup.run());

function create(addChild: (mark: ProcessMark) => Promise<void>, isHeld = () => true) {
  const watchdog: Watchdog = {
    pid: () => undefined,
    guard: () => undefined,
    addChild: (_lease, mark) => addChild(mark),
    childEnded: () => undefined,
    release: () => undefined,
    close: () => Promise.resolve(),
  };
  const journal = { directory, childStarted: () => undefined, childEnded: () => undefined };
  const children = createChildren({ watchdog, journal, environment: { PATH: "/usr/bin:/bin" } }, { lease: "lease", isHeld });
  cleanup.add(async () => {
    children.close();
    await children.gone();
  });
  return children;
}

test("X020 a program runs only after the watchdog has accepted it", async () => {
  const mark = join(directory, "ran");
  const known = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<ProcessMark>();
  const children = create((child) => {
    asked.resolve(child);
    return known.promise;
  });
  const started = children.spawn("/bin/sh", ["-c", `: >${mark}`]);
  const { pid } = await asked.promise;
  expect(existsSync(mark)).toBe(false);
  known.reject(new Fault(taskClientFaults.lease_lost, "no"));
  await expect(started).rejects.toMatchObject({ code: "task_client.lease_lost" });
  await children.gone();
  expect(isAlive(pid)).toBe(false);
  expect(existsSync(mark)).toBe(false);
});

test("X020 an agent killed between the start and the registration of a program leaves nothing running", async () => {
  const mark = join(directory, "ran");
  const holder = fileURLToPath(new URL("./fixtures/gate-holder.ts", import.meta.url));
  const agent = spawn(process.execPath, [holder, directory, mark], { stdio: ["ignore", "pipe", "inherit"] });
  cleanup.add(() => void agent.kill("SIGKILL"));
  const [said] = (await once(agent.stdout, "data")) as [Buffer];
  const pid = Number(said.toString());
  expect(isAlive(pid)).toBe(true);
  agent.kill("SIGKILL");
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(existsSync(mark)).toBe(false);
});

test("M047 no program starts for an expired lease, even if it expires during registration with the watchdog", async () => {
  let held = false;
  const late = create(
    () => Promise.resolve(),
    () => held,
  );
  await expect(late.spawn("/bin/true", [])).rejects.toMatchObject({ code: "task_client.lease_lost" });
  held = true;
  const lost = create(
    () => {
      held = false;
      return Promise.resolve();
    },
    () => held,
  );
  await expect(lost.spawn("/bin/true", [])).rejects.toMatchObject({ code: "task_client.lease_lost" });
});

test("M049 processes that a program left behind are killed when it exits", async () => {
  const children = create(() => Promise.resolve());
  const child = await children.spawn("/bin/sh", ["-c", "sleep 600 & echo $!"]);
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  expect(await child.ended).toEqual({ code: 0, signal: null });
  await expect.poll(() => isAlive(Number(said.toString()))).toBe(false);
});

test("M049 unread output does not hide a program's exit, and programs do not see the agent's environment", async () => {
  const children = create(() => Promise.resolve());
  const silent = await children.spawn("/bin/sh", ["-c", "echo unread"]);
  expect(await silent.ended).toEqual({ code: 0, signal: null });
  const child = await children.spawn("/usr/bin/env", [], { env: { GIVEN: "yes" } });
  let text = "";
  child.stdout.on("data", (data) => (text += String(data)));
  await child.ended;
  const names = text.split("\n").map((line) => line.split("=")[0]);
  const own = names.filter((name) => !["PWD", "OLDPWD", "SHLVL", "_", ""].includes(name ?? ""));
  expect(new Set(own)).toEqual(new Set([leaseVariable, "GIVEN", "PATH"]));
});

test("X020 only processes with the exact identity are killed as leftovers", async () => {
  const start = (lease: string) => {
    const child = spawn("/bin/sleep", ["600"], { detached: true, stdio: "ignore", env: { [leaseVariable]: lease } });
    cleanup.add(() => void child.kill("SIGKILL"));
    return child.pid ?? 0;
  };
  const [ours, escaped, other] = [start("a"), start("b"), start("c")];
  const mark = findProcessMark(ours) as ProcessMark;
  killGroups([
    { ...mark, startTicks: "1" },
    { ...mark, boot: "another" },
  ]);
  killLeases(new Set(["d"]));
  expect([ours, escaped, other].map(isAlive)).toEqual([true, true, true]);
  killGroups([mark]);
  // `killLeases` finds a process by its environment, which the process gets only on exec. The kill is therefore retried.
  await expect
    .poll(() => {
      killLeases(new Set(["b"]));
      return [ours, escaped, other].map(isAlive);
    })
    .toEqual([false, false, true]);
});
