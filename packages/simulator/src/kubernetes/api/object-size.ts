import { StatusError } from "./status-error.ts";

/** Largest request body and largest object that a client can create. */
export const largestBytes: number = 3 * 1024 * 1024;

/** Creates the error for a request or a result that is too large. */
export function tooLarge(message = `Request entity too large: limit is ${largestBytes}`): StatusError {
  return new StatusError(413, "RequestEntityTooLarge", message);
}

/** Largest number of fields and list items in an object. They affect the cost of processing an object more than its size in bytes does. */
const mostFields = 50_000;
const mostLevels = 500;

/**
 * Throws if a JSON text contains far more fields and list items than an object may have. Parsing such a text would take a long time and
 * need twenty times its size in memory.
 */
export function requireFewValues(json: Buffer): void {
  const most = mostFields * 2 + 1;
  if (json.length < most) return;
  let count = 0;
  let isText = false;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index];
    if (isText && byte === backslash) index++;
    else if (byte === quote) isText = !isText;
    else if (!isText && (byte === comma || byte === brace || byte === bracket)) count++;
  }
  if (count > most) throw tooLarge(`An object may have at most ${mostFields} fields and list items`);
}

const [quote, backslash, comma, brace, bracket] = [...Buffer.from('"\\,{[')];

/** Throws if an object is larger than a client may create. A small patch can produce a large object. */
export function requireSize(object: unknown): void {
  requireFewFields(object);
  if (JSON.stringify(object).length > largestBytes) throw tooLarge();
}

/** Throws if an object has more fields and list items than a client may create, or is nested too deeply. */
export function requireFewFields(object: unknown): void {
  let level = [object];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > mostLevels) throw tooLarge(`An object may have at most ${mostLevels} levels`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue;
      const items = Object.values(value);
      count += items.length;
      if (count > mostFields) throw tooLarge(`An object may have at most ${mostFields} fields and list items`);
      for (const item of items) if (typeof item === "object" && item !== null) next.push(item);
    }
    level = next;
  }
}
