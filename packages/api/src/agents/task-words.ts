import type { Json } from "@cloudwright/contract";
import type { LogLine as LineMessage } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import type { LogLine } from "@cloudwright/tasks";
import { isObject } from "../entities/json-tree.ts";

/** The year 3000: times far beyond it cannot even be written. */
const lastSecond = 32_503_680_000n;

/** A text as PostgreSQL can keep it. What programs print may hold anything; a lease must not be lost over it. */
export function keepText(text: string): string {
  return text.replaceAll("\u0000", "\uFFFD").toWellFormed();
}

/** JSON of which every text can be kept. */
export function keepJson(json: Json): Json {
  if (typeof json === "string") return keepText(json);
  if (Array.isArray(json)) return json.map(keepJson);
  if (!isObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [keepText(name), keepJson(value)]));
}

/** Lines of a log as they come over the wire; a time that is none is left to the database. */
export function readLines(lines: readonly LineMessage[]): LogLine[] {
  return lines.map(({ seq, at, line }) => {
    const text = keepText(line);
    if (at === undefined || at.seconds < 0n || at.seconds > lastSecond) return { seq, line: text };
    const ms = Number(at.seconds) * 1000 + Math.floor(at.nanos / 1e6);
    return { seq, at: new Date(ms).toISOString(), line: text };
  });
}
