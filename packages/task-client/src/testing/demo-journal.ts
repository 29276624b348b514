import { readFileSync } from "node:fs";

/** One line that a demo program wrote, in the order in which all programs wrote. */
export interface DemoLine {
  readonly event: "start" | "beat" | "interrupted" | "end";
  readonly pid: number;
  readonly task: string;
  readonly entity: string;
  readonly attempt: number;
  /** Seconds since boot. */
  readonly at: number;
}

/** Two programs of one entity that ran concurrently. */
export interface Overlap {
  readonly entity: string;
  readonly former: DemoLine;
  readonly latter: DemoLine;
}

/** Reads the journal of the demo programs. Empty if there is none yet. */
export function readDemoJournal(path: string): DemoLine[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  // A program that is killed while it writes leaves a partial line, which is ignored.
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as DemoLine];
    } catch {
      return [];
    }
  });
}

/** Finds programs of one entity that ran concurrently: one still writes after another has started. */
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
