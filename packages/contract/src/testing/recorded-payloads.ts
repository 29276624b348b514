import { readFileSync } from "node:fs";
import type { JsonObject } from "../entities.ts";

/** A task exactly as a release stored and sent it. */
export interface RecordedTask {
  readonly type: string;
  readonly what: string;
  readonly placement: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly payloadVersion: number;
  readonly payload: JsonObject;
}

/**
 * Returns at least one task of every type, as recorded with release 0.1.0. Do not record the file again: agents must keep reading tasks
 * that older releases stored.
 */
export function listRecordedTasks(): RecordedTask[] {
  const text = readFileSync(new URL("./recorded-payloads/release-0.1.0.jsonl", import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as RecordedTask);
}
