import type { ReadonlyJson } from "@cloudwright/platform";
import { createNeedleIndex, type Span } from "./needle-index.ts";
import { listDisguises } from "./secret-disguises.ts";

const mask = Buffer.from("[secret]");

/** Removes secrets from program output. */
export interface Redactor {
  /** Adds values to redact from now on. */
  add(values: Iterable<string>): void;
  redactText(text: string): string;
  /** Returns the value with all strings and keys redacted. */
  redactJson<Value>(value: Value): Value;
  /** Creates a redactor for a byte stream. It also finds secrets that are split across chunks. */
  createStream(): RedactingStream;
}

export interface RedactingStream {
  /** Returns the redacted bytes that are ready. Holds back a possible start of a secret. */
  push(chunk: Buffer): Buffer;
  end(): Buffer;
}

/**
 * Creates a redactor for secrets in every encoding in which a program may print them. Values shorter than 4 characters are not redacted.
 */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const known = new Set<string>();
  let index = createNeedleIndex([]);

  const add = (values: Iterable<string>): void => {
    const before = known.size;
    for (const value of values) for (const disguise of listDisguises(value)) known.add(disguise);
    if (known.size > before) index = createNeedleIndex([...known].map((text) => Buffer.from(text)));
  };
  const redactText = (text: string): string => {
    if (known.size === 0) return text;
    const bytes = Buffer.from(text);
    if (index.find(bytes).spans.length === 0) return text;
    const stream = createStream();
    return Buffer.concat([stream.push(bytes), stream.end()]).toString();
  };
  const redactJson = (value: ReadonlyJson): ReadonlyJson => {
    if (known.size === 0) return value;
    if (typeof value === "string") return redactText(value);
    if (Array.isArray(value)) return (value as ReadonlyJson[]).map(redactJson);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [redactText(key), redactJson(inner)]));
  };
  const createStream = (): RedactingStream => {
    let held: Buffer = Buffer.alloc(0);
    // Number of leading bytes in the held data that belong to an already masked secret.
    let hidden = 0;
    const release = (data: Buffer, holdFrom: number, spans: readonly Span[]): Buffer => {
      const parts: Buffer[] = [];
      let position = 0;
      let hiddenNext = 0;
      for (const { start, end } of mergeSpans(hidden > 0 ? [{ start: 0, end: hidden }, ...spans] : spans)) {
        if (start >= holdFrom) break;
        parts.push(data.subarray(position, start));
        if (!(start === 0 && hidden > 0)) parts.push(mask);
        position = Math.min(end, holdFrom);
        hiddenNext = Math.max(0, end - holdFrom);
      }
      parts.push(data.subarray(position, holdFrom));
      held = Buffer.from(data.subarray(holdFrom));
      hidden = holdFrom === 0 ? Math.max(hidden, hiddenNext) : hiddenNext;
      return Buffer.concat(parts);
    };
    return {
      push(chunk) {
        const data = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
        const { spans, holdFrom } = index.find(data);
        return release(data, holdFrom, spans);
      },
      end() {
        const { spans } = index.find(held);
        return release(held, held.length, spans);
      },
    };
  };
  add(secrets);
  return { add, redactText, redactJson: redactJson as Redactor["redactJson"], createStream };
}

function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && span.start < last.end)
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    else merged.push(span);
  }
  return merged;
}
