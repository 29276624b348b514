import { readFileSync } from "node:fs";

/** A line that a demo program wrote. All programs write to the same file. */
export interface DemoLine {
  readonly event: "start" | "beat" | "interrupted" | "end";
  readonly pid: number;
  readonly task: string;
  readonly entity: string;
  readonly attempt: number;
  /** Seconds since boot. */
  readonly at: number;
}

/** Two programs of the same entity that ran at the same time. */
export interface Overlap {
  readonly entity: string;
  readonly former: DemoLine;
  readonly latter: DemoLine;
}

/** Reads the journal of the demo programs. Returns an empty list if the file does not exist. */
export function readDemoJournal(path: string): DemoLine[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  // A program that is killed while writing leaves an incomplete line, which is ignored.
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as DemoLine];
    } catch {
      return [];
    }
  });
}

/** Finds programs of the same entity that overlapped: one still wrote lines after another had started. */
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
