import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nameObject } from "../names.ts";
import type { InstanceSpec } from "./driver.ts";
import { createInstanceWorld, testImage, type InstanceWorld } from "./testing/instance-world.ts";

const rounds = 4;
/** Approximate duration of each operation on an idle machine, in milliseconds. */
const operations = { create: 400, stop: 500, start: 300, reboot: 700, remove: 250 } as const;

describe.skipIf(testImage === "")("kills of the agent", () => {
  const random = createRandom(printSeed("kills of operations on instances"));
  let world: InstanceWorld;
  beforeAll(async () => {
    world = await createInstanceWorld();
  });
  afterAll(() => world.close());

  /** Runs an operation in a process and kills the process at a random point. Returns when the process has exited. */
  async function runAndKill(operation: keyof typeof operations, spec: InstanceSpec): Promise<void> {
    const script = join(import.meta.dirname, "fixtures", "run-instance.ts");
    const child = spawn(process.execPath, [script, world.directory, operation, JSON.stringify(spec)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    await Promise.race([once(child.stdout, "data"), ended]);
    const afterMs = random.below(operations[operation]);
    const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
    await ended;
    clearTimeout(timer);
  }

  /** Counts the init processes of containers in the instance's control groups, whichever process started them. */
  async function countLeaders(uid: string): Promise<number> {
    const processes = (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name));
    const read = (pid: string, file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
    const isLeader = async (pid: string): Promise<boolean> => {
      if (!(await read(pid, "cgroup")).includes(`/${nameObject("machine", uid)}/`)) return false;
      const status = await read(pid, "status");
      // Process 1 of this machine may not reap killed processes.
      return /^NSpid:\t[0-9]+\t1$/m.test(status) && !/^State:\tZ/m.test(status);
    };
    return (await Promise.all(processes.map(isLeader))).filter(Boolean).length;
  }

  test("an operation that was killed at a random point is completed by the next agent, with exactly one instance", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const uid = `killed-${round}`;
      const spec = await world.specOf(uid);
      for (const operation of ["create", "stop", "start", "reboot", "remove"] as const) {
        await runAndKill(operation, spec);
        const instances = await world.open();
        expect(await instances.restore(undefined)).toEqual({ failed: [] });
        if (operation === "create") await instances.create(spec, undefined);
        else if (operation !== "remove") await instances[operation](uid, undefined);
        else await instances.remove(uid, undefined);
        const { state } = await instances.find(uid);
        expect([operation, state]).toEqual([
          operation,
          { create: "running", start: "running", reboot: "running", stop: "stopped", remove: "absent" }[operation],
        ]);
        expect([operation, await countLeaders(uid)]).toEqual([operation, state === "running" ? 1 : 0]);
      }
      await world.network.removePort(uid);
    }
  });

  test("an instance can be reached even if the agent was killed while it created the instance", async () => {
    const spec = await world.specOf("reached");
    await runAndKill("create", spec);
    const instances = await world.open();
    await instances.create(spec, undefined);
    expect(await world.reach(spec, "hostname")).toBe("reached");
    await instances.remove("reached", undefined);
  });
});
