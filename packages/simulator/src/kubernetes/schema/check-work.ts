import { tooLarge } from "../api/object-size.ts";
import { StatusError } from "../api/status-error.ts";
import { compilePattern, type Pattern } from "./compile-pattern.ts";

/**
 * Counts the work of one check and aborts the check when it becomes too expensive. This is necessary because clients choose both the
 * schema and the object.
 */
export interface CheckWork {
  /** Counts steps. Throws if the check has taken too many. */
  spend(steps: number): void;
  /** Returns a copy of a default value. Throws if the defaults of the object become too large. */
  copyDefault(value: unknown): unknown;
  /** Returns whether a string matches a pattern. A pattern that cannot be compiled matches nothing. */
  matches(pattern: string, text: string): boolean;
}

const mostSteps = 5_000_000;
const mostDefaultBytes = 3 * 1024 * 1024;

export function createCheckWork(): CheckWork {
  let steps = 0;
  let defaultBytes = 0;
  const texts = new Map<unknown, string>();
  const spend = (count: number): void => {
    steps += count;
    if (steps > mostSteps)
      throw new StatusError(422, "Invalid", "the object is too large to be validated against its schema; make it smaller", {});
  };
  return {
    spend,
    copyDefault(value) {
      let text = texts.get(value);
      if (text === undefined) texts.set(value, (text = JSON.stringify(value)));
      defaultBytes += text.length;
      if (defaultBytes > mostDefaultBytes)
        throw tooLarge(`The default values of an object may have at most ${mostDefaultBytes} bytes`);
      return JSON.parse(text);
    },
    matches(source, text) {
      spend(1);
      return findPattern(source, spend)?.test(text, spend) ?? false;
    },
  };
}

const mostKept = 500;
const patterns = new Map<string, Pattern | undefined>();

function findPattern(source: string, spend: (steps: number) => void): Pattern | undefined {
  if (patterns.has(source)) return patterns.get(source);
  spend(source.length * 10);
  let pattern: Pattern | undefined;
  try {
    pattern = compilePattern(source);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (patterns.size >= mostKept) patterns.clear();
  patterns.set(source, pattern);
  return pattern;
}
