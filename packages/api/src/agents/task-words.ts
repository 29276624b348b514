import type { Json } from "@cloudwright/contract";
import type { LogLine as LineMessage } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import type { LogLine } from "@cloudwright/tasks";
import { isObject } from "../entities/json-tree.ts";

/** The year 3000, in seconds since the epoch. Later times are ignored because very large values cannot be formatted. */
const lastSecond = 32_503_680_000n;

/**
 * Replaces characters that PostgreSQL cannot store. Otherwise, unusual program output could make a heartbeat fail, and the agent would lose
 * its lease.
 */
export function keepText(text: string): string {
  return text.replaceAll("\u0000", "\uFFFD").toWellFormed();
}

/** Applies `keepText` to every string in a JSON value. */
export function keepJson(json: Json): Json {
  if (typeof json === "string") return keepText(json);
  if (Array.isArray(json)) return json.map(keepJson);
  if (!isObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [keepText(name), keepJson(value)]));
}

/** Converts log lines from an agent's request. Lines with a missing or invalid time get their time from the database. */
export function readLines(lines: readonly LineMessage[]): LogLine[] {
  return lines.map(({ seq, at, line }) => {
    const text = keepText(line);
    if (at === undefined || at.seconds < 0n || at.seconds > lastSecond) return { seq, line: text };
    const ms = Number(at.seconds) * 1000 + Math.floor(at.nanos / 1e6);
    return { seq, at: new Date(ms).toISOString(), line: text };
  });
}
