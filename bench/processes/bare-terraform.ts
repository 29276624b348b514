import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { BareOrder } from "../anchors/bare-terraform.ts";
import { readProcessUse } from "./process-use.ts";

/** Handle to the process that runs Terraform without the platform. */
export interface BareTerraform {
  run(order: Omit<BareOrder, "id">): Promise<void>;
  /** Returns the user and system CPU time of all runs, in microseconds. */
  readCpuMicros(): number;
  [Symbol.asyncDispose](): Promise<void>;
}

const program = join(import.meta.dirname, "..", "anchors", "bare-terraform.ts");

/** Starts a process that runs Terraform without the platform in the given folder. `quotas` are the limits of its simulated cloud. */
export async function startBareTerraform(
  folder: string,
  terraform: string,
  quotas: Readonly<Record<string, number>>,
): Promise<BareTerraform> {
  const child = fork(program, [folder, terraform, JSON.stringify(quotas)], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const waiting = new Map<number, { resolve(): void; reject(error: Error): void }>();
  let last = 0;
  await once(child, "message");
  child.on("message", ({ id, error }: { id: number; error?: string }) => {
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) waiter?.resolve();
    else waiter?.reject(new Error(error));
  });
  return {
    run(order) {
      last += 1;
      const id = last;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        child.send({ ...order, id });
      });
    },
    readCpuMicros: () => readProcessUse(child.pid ?? 0).cpuMicros,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}
