import { readFileSync } from "node:fs";

/** One line that a demonstration program wrote, in the order in which all programs wrote theirs. */
export interface DemoLine {
  readonly event: "start" | "beat" | "interrupted" | "end";
  readonly pid: number;
  readonly task: string;
  readonly entity: string;
  readonly attempt: number;
  /** Seconds of this boot. */
  readonly at: number;
}

/** Two programs of one entity of which one was heard of while the other had begun. */
export interface Overlap {
  readonly entity: string;
  readonly former: DemoLine;
  readonly latter: DemoLine;
}

/** Reads the journal of the demonstration programs; empty when there is none yet. */
export function readDemoJournal(path: string): DemoLine[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  // A program that is killed while it writes leaves half a line; it says nothing.
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as DemoLine];
    } catch {
      return [];
    }
  });
}

/** Finds programs of one entity that ran at once: one that still writes after another of its entity has begun. */
export function findOverlaps(lines: readonly DemoLine[]): Overlap[] {
  const newest = new Map<string, DemoLine>();
  const overlaps: Overlap[] = [];
  for (const line of lines) {
    const latter = newest.get(line.entity);
    if (line.event === "start") newest.set(line.entity, line);
    else if (latter !== undefined && (latter.pid !== line.pid || latter.task !== line.task)) {
      overlaps.push({ entity: line.entity, former: line, latter });
    }
  }
  return overlaps;
}
