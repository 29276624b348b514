import { systemClock, type Clock } from "@cloudwright/platform";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Keeps the raw logs of the newest runs on this machine: redacted and compressed by the driver, readable by the agent's user alone. */
export interface RunLogs {
  /** Where a run's logs go. */
  open(runUid: string): string;
  /** The run is over: what is too old or too much goes. */
  close(runUid: string): void;
}

/** How much is kept. */
export interface RunLogsOptions {
  readonly directory: string;
  readonly keepMs?: number;
  readonly keepBytes?: number;
  readonly keepRuns?: number;
}

const dayMs = 86_400_000;

/** Opens the folder of logs; those of earlier lives count. */
export function createRunLogs(options: RunLogsOptions, { clock = systemClock }: { readonly clock?: Clock } = {}): RunLogs {
  const { directory, keepMs = 14 * dayMs, keepBytes = 256 * 1024 * 1024, keepRuns = 2000 } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const kept = new Map(
    readdirSync(directory)
      .map((uid) => [uid, measure(join(directory, uid))] as const)
      .toSorted(([, a], [, b]) => a.endedMs - b.endedMs),
  );
  const prune = (): void => {
    let bytes = [...kept.values()].reduce((sum, log) => sum + log.bytes, 0);
    let runs = kept.size;
    for (const [uid, log] of kept) {
      if (clock.now() - log.endedMs <= keepMs && bytes <= keepBytes && runs <= keepRuns) return;
      rmSync(join(directory, uid), { recursive: true, force: true });
      kept.delete(uid);
      bytes -= log.bytes;
      runs -= 1;
    }
  };
  prune();
  return {
    open: (runUid) => join(directory, runUid.replaceAll(/[^\w-]/g, "_")),
    close(runUid) {
      const uid = runUid.replaceAll(/[^\w-]/g, "_");
      // Behind the others: the newest are kept.
      kept.delete(uid);
      kept.set(uid, { bytes: measure(join(directory, uid)).bytes, endedMs: clock.now() });
      prune();
    },
  };
}

function measure(folder: string): { bytes: number; endedMs: number } {
  try {
    const files = readdirSync(folder).map((name) => statSync(join(folder, name)));
    return { bytes: files.reduce((sum, { size }) => sum + size, 0), endedMs: statSync(folder).mtimeMs };
  } catch {
    return { bytes: 0, endedMs: 0 };
  }
}
