import { readFileSync } from "node:fs";

interface Line {
  readonly event: "start" | "beat" | "end" | "interrupted" | "overlap";
  readonly pid: number;
  readonly task: string;
  readonly entity: string;
  readonly attempt: number;
  /** Seconds since boot. */
  readonly at: number;
}

/** The lifetime of one program, from its first to its last journal line. */
interface Run {
  readonly task: string;
  readonly entity: string;
  readonly fromS: number;
  toS: number;
  ended: boolean;
}

export interface JournalFindings {
  readonly runs: number;
  /** Number of programs that wrote no final line because they were killed. */
  readonly killed: number;
  readonly overlaps: readonly string[];
  readonly disorder: readonly string[];
}

/**
 * Checks the journal that the demonstration programs write. Two programs of one entity must never run at the same time, and the programs of
 * a later task must start after those of earlier tasks. Each program writes a line every 0.2 s. It also records an overlap if another
 * program of its entity still holds the lock.
 */
export function checkJournal(file: string, positions: ReadonlyMap<string, number>): JournalFindings {
  const { runs, overlaps } = readRuns(file);
  const disorder: string[] = [];
  for (const family of Map.groupBy(runs, ({ entity }) => entity).values()) {
    const ordered = family.toSorted((a, b) => a.fromS - b.fromS);
    for (const [index, run] of ordered.entries()) {
      const before = ordered[index - 1];
      if (before === undefined) continue;
      if (before.toS > run.fromS)
        overlaps.push(
          `entity ${run.entity}: task ${before.task} lived at ${before.toS} s, task ${run.task} began at ${run.fromS} s`,
        );
      if ((positions.get(before.task) ?? 0) > (positions.get(run.task) ?? Infinity))
        disorder.push(`entity ${run.entity}: task ${run.task} ran after the later task ${before.task}`);
    }
  }
  return { runs: runs.length, killed: runs.filter(({ ended }) => !ended).length, overlaps, disorder };
}

function readRuns(file: string): { runs: Run[]; overlaps: string[] } {
  const runs: Run[] = [];
  const overlaps: string[] = [];
  const current = new Map<number, Run>();
  for (const text of readFileSync(file, "utf8").split("\n")) {
    if (text === "") continue;
    const line = JSON.parse(text) as Line;
    if (line.event === "overlap")
      overlaps.push(`entity ${line.entity}: task ${line.task} began at ${line.at} s while another held the lock`);
    if (line.event === "start") {
      const run = { task: line.task, entity: line.entity, fromS: line.at, toS: line.at, ended: false };
      current.set(line.pid, run);
      runs.push(run);
    }
    const run = current.get(line.pid);
    if (run === undefined) continue;
    run.toS = line.at;
    run.ended ||= line.event === "end" || line.event === "interrupted";
  }
  return { runs, overlaps };
}
