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
 * Returns at least one task of every type, as recorded with the release that introduced the type. Do not re-record a file: agents must keep
 * reading tasks that older releases stored.
 */
export function listRecordedTasks(): RecordedTask[] {
  return releases.flatMap((release) => {
    const text = readFileSync(new URL(`./recorded-payloads/release-${release}.jsonl`, import.meta.url), "utf8");
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as RecordedTask);
  });
}

/** Releases that introduced task types. */
const releases = ["0.1.0", "0.2.0", "0.3.0", "0.4.0"];
