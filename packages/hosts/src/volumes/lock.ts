import { Fault } from "@cloudwright/platform";
import { open, stat } from "node:fs/promises";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import type { ToolUse } from "./disk-backend.ts";

const waitSeconds = 900;

/**
 * Runs an action while no other process and no other call holds the lock of the same file. The kernel releases the lock when this process
 * and all tools that got it through `use` have ended, so a killed process leaves no lock, and none of its tools runs beside the next one.
 */
export async function withLock<T>(
  { run }: Pick<HostDeps, "run">,
  file: string,
  signal: AbortSignal | undefined,
  action: (use: ToolUse) => Promise<T>,
): Promise<T> {
  for (;;) {
    const handle = await open(file, "a", 0o600);
    try {
      const use = { signal, inherit: [handle.fd] };
      // Locking an inherited descriptor locks it for this process, because both share one open file.
      const options = { ...use, accept: [1], timeoutMs: (waitSeconds + 60) * 1000 };
      const { code } = await run("flock", ["--exclusive", "--timeout", String(waitSeconds), "3"], options);
      if (code !== 0) {
        throw new Fault(hostsFaults.volume_locked, `another operation has held ${file} for ${waitSeconds} seconds`);
      }
      // The former holder may have removed the file, together with its volume.
      const [ours, current] = await Promise.all([handle.stat(), stat(file).catch(() => undefined)]);
      if (current?.ino === ours.ino) return await action(use);
    } finally {
      await handle.close();
    }
  }
}
