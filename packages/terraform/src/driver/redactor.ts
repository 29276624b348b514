import type { ReadonlyJson } from "@cloudwright/platform";
import { createNeedleIndex, type Span } from "./needle-index.ts";
import { listDisguises } from "./secret-disguises.ts";

const mask = Buffer.from("[secret]");

/** Cuts secrets out of whatever a program says. */
export interface Redactor {
  /** More to cut out, from now on. */
  add(values: Iterable<string>): void;
  redactText(text: string): string;
  /** The same value with every text and every key in it redacted. */
  redactJson<Value>(value: Value): Value;
  /** For one stream of bytes: finds secrets also where they are split between chunks. */
  createStream(): RedactingStream;
}

/** One stream of bytes on its way through a redactor. */
export interface RedactingStream {
  /** What can be shown by now. */
  push(chunk: Buffer): Buffer;
  end(): Buffer;
}

/** A redactor of these secrets, in every disguise that a program may print them in. Values under 4 characters are not secrets. */
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
    // So many bytes at the beginning of what is held belong to a secret that has been masked already.
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
