import { Fault } from "@cloudwright/platform";
import { open, stat } from "node:fs/promises";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import type { ToolUse } from "./disk-backend.ts";

const waitSeconds = 900;

/**
 * Runs an action while holding the exclusive lock of a file. The kernel releases the lock when this process and all tools that inherited it
 * through `use` have exited. A killed process therefore leaves no lock, and its tools never run at the same time as those of the next
 * holder.
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
      // A lock on an inherited descriptor also belongs to this process, because both share one open file.
      const options = { ...use, accept: [1], timeoutMs: (waitSeconds + 60) * 1000 };
      const { code } = await run("flock", ["--exclusive", "--timeout", String(waitSeconds), "3"], options);
      if (code !== 0) {
        throw new Fault(hostsFaults.volume_locked, `another operation has held the lock ${file} for ${waitSeconds} seconds`);
      }
      // The previous holder may have removed the file together with its volume.
      const [ours, current] = await Promise.all([handle.stat(), stat(file).catch(() => undefined)]);
      if (current?.ino === ours.ino) return await action(use);
    } finally {
      await handle.close();
    }
  }
}
