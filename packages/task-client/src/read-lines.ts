import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** Calls `hear` for each line of a stream until the stream ends. */
export function readLines(stream: Readable, hear: (line: string) => void): void {
  createInterface({ input: stream, crlfDelay: Infinity }).on("line", hear);
}
