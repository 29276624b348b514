import { systemClock, type Clock } from "@cloudwright/platform";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Keeps the raw logs of recent runs on this machine. The logs are redacted and compressed, and only the agent's user can read them. */
export interface RunLogs {
  /** Returns the folder for a run's logs. */
  open(runUid: string): string;
  /** Adds a finished run to the totals. Removes the oldest logs if a limit is exceeded. */
  close(runUid: string): void;
}

/** Limits for the age, total size and number of logs. */
export interface RunLogsOptions {
  readonly directory: string;
  readonly keepMs?: number;
  readonly keepBytes?: number;
  readonly keepRuns?: number;
}

const dayMs = 86_400_000;

/** Opens the log folder. Logs from earlier processes count towards the limits. */
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
      // Moves the run to the end of the map, which is ordered by age.
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
