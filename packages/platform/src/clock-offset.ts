import { readFileSync } from "node:fs";
import type { Environment } from "./config.ts";

const readEveryMs = 100;

/**
 * Returns a function that reads the offset to add to the system clock, in milliseconds. The offset is read from the file named by
 * CLOUDWRIGHT_CLOCK_OFFSET_FILE and defaults to 0. Test suites use it to make the clock jump while a program runs.
 */
export function createClockOffset(environment: Environment): () => number {
  const path = environment["CLOUDWRIGHT_CLOCK_OFFSET_FILE"];
  if (path === undefined || path === "") return () => 0;
  let offsetMs = 0;
  let readAtMs = -Infinity;
  return () => {
    const nowMs = performance.now();
    if (nowMs - readAtMs >= readEveryMs) {
      readAtMs = nowMs;
      offsetMs = readOffset(path) ?? offsetMs;
    }
    return offsetMs;
  };
}

function readOffset(path: string): number | undefined {
  try {
    const offset = Number(readFileSync(path, "utf8").trim() || "0");
    return Number.isFinite(offset) ? offset : undefined;
  } catch {
    return undefined;
  }
}
