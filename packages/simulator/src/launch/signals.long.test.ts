import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSimulatedCloud, tools, type SimulatedCloud } from "../testing/simulated-cloud.ts";
import type { Run, TerraformStack } from "../testing/terraform-stack.ts";

const { terraform } = tools;
const buckets = (...names: string[]): string =>
  names.map((name) => `resource "sim_bucket" "${name}" {\n  name = "${name}"\n}\n`).join("");

describe.skipIf(!terraform.found)(`signals${terraform.found ? "" : `: skipped, ${terraform.reason}`}`, () => {
  let cloud: SimulatedCloud;

  beforeEach(async () => {
    cloud = await createSimulatedCloud(terraform.found ? terraform.path : "terraform", "resident");
  });

  afterEach(async () => {
    await cloud.close();
  });

  /** Starts an apply and waits until one of its operations hangs. */
  async function startHanging(stack: TerraformStack, deaf: boolean): Promise<{ leader: number; done: Promise<Run> }> {
    await cloud.faults.add({ kind: "hang", deaf, operation: "create", nth: 2 });
    const { child, done } = stack.start("apply", "-auto-approve", "-input=false", "-json", "-parallelism=1");
    await expect.poll(async () => (await cloud.faults.list()).map(({ seen }) => seen)).toEqual([2]);
    return { leader: child.pid as number, done };
  }

  async function expectNothingLeft(stack: TerraformStack, leader: number): Promise<void> {
    await expect.poll(() => listGroup(leader)).toEqual([]);
    await expect.poll(() => readdir(join(stack.directory, "tmp"))).toEqual([]);
  }

  describe.each(["resident", "spawned"] as const)("%s", (mode) => {
    test("Ctrl-C stops a hanging provider, the state lists what was created, and the next run creates the rest", async () => {
      const stack = await cloud.openStack(buckets("one", "two", "three"), { mode });
      const { leader, done } = await startHanging(stack, false);
      // Signals the whole process group, as a terminal does.
      process.kill(-leader, "SIGINT");
      const { code, output } = await done;
      expect({ code, output }).toMatchObject({ code: 1 });
      const made = await cloud.inventory.list("a");
      expect(made).toHaveLength(1);
      expect((await stack.run("state", "list")).output.trim()).toBe(`sim_bucket.${made[0]?.id}`);
      if (mode === "spawned") await expectNothingLeft(stack, leader);
      expect((await stack.run("apply", "-auto-approve", "-input=false")).code).toBe(0);
      expect(await cloud.inventory.list("a")).toHaveLength(3);
    });

    test("kill -9 of Terraform leaves no process and no socket, and the next run succeeds", async () => {
      const stack = await cloud.openStack(buckets("one", "two"), { mode });
      const { leader, done } = await startHanging(stack, true);
      expect((await listGroup(leader)).length > 1).toBe(mode === "spawned");
      process.kill(leader, "SIGKILL");
      expect((await done).code).toBeNull();
      if (mode === "spawned") await expectNothingLeft(stack, leader);
      await cloud.faults.clear();
      expect((await stack.run("apply", "-auto-approve", "-input=false", "-lock=false")).code).toBe(0);
      expect(await cloud.inventory.list("a")).toHaveLength(2);
    });
  });

  test("kill -9 of Terraform also ends a provider that it has not connected to yet", async () => {
    const stack = await cloud.openStack(buckets("one"), { mode: "spawned" });
    await cloud.faults.add({ kind: "hang", operation: "start" });
    const { child, done } = stack.start("plan", "-input=false");
    await expect.poll(async () => (await cloud.faults.list()).map(({ seen }) => seen)).toEqual([1]);
    process.kill(child.pid as number, "SIGKILL");
    expect((await done).code).toBeNull();
    await expectNothingLeft(stack, child.pid as number);
  });

  test("kill -9 of a spawned provider fails the run, and the next run removes its socket", async () => {
    const stack = await cloud.openStack(buckets("one", "two"), { mode: "spawned" });
    const { leader, done } = await startHanging(stack, true);
    for (const pid of await listGroup(leader)) if (pid !== leader) process.kill(pid, "SIGKILL");
    expect((await done).code).toBe(1);
    await cloud.faults.clear();
    expect((await stack.run("apply", "-auto-approve", "-input=false")).code).toBe(0);
    await expectNothingLeft(stack, leader);
  });

  test("closing a resident provider removes its socket, even during a call", async () => {
    const stack = await cloud.openStack(buckets("one", "two"));
    expect(await cloud.listSockets()).toHaveLength(1);
    const { done } = await startHanging(stack, true);
    await cloud.closeProviders();
    expect((await done).code).toBe(1);
    expect(await cloud.listSockets()).toEqual([]);
  });
});

/** Returns the processes of a group: Terraform as its leader, and the providers. */
async function listGroup(leader: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,pgid="]);
  const pairs = stdout.split("\n").map((line) => line.trim().split(/ +/).map(Number));
  return pairs.flatMap(([pid, group]) => (pid !== undefined && group === leader ? [pid] : []));
}
