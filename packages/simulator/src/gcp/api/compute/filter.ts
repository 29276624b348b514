import { invalid, refuse } from "../errors.ts";

type Item = Readonly<Record<string, unknown>>;
type Test = (item: Item) => boolean;

const longest = 4096;

/**
 * Parses a list filter: conditions such as `name = "a"`, `labels.team:*` and `name eq web-.*`, with parentheses, AND and OR. An empty filter
 * accepts everything. Throws for other expressions.
 */
export function parseFilter(text: string): Test {
  if (text.trim() === "") return () => true;
  if (text.length > longest) return fail(text);
  const tokens = tokenize(text);
  const reader: Reader = { tokens, at: 0, text };
  const test = readAlternatives(reader, 0);
  return reader.at === tokens.length ? test : fail(text);
}

interface Reader {
  readonly tokens: readonly string[];
  at: number;
  readonly text: string;
}

function tokenize(text: string): readonly string[] {
  const tokens: string[] = [];
  const pattern = /\s*(?:(\(|\)|!=|>=|<=|=|:|~)|"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s()=:!"'~]+))/y;
  while (pattern.lastIndex < text.trimEnd().length) {
    const found = pattern.exec(text);
    if (found === null) return fail(text);
    const [, symbol, double, single, word] = found;
    const quoted = double?.replaceAll(/\\(.)/g, "$1") ?? single;
    // Quoted text is never a keyword.
    tokens.push(symbol ?? (quoted === undefined ? (word ?? "") : `"${quoted}`));
  }
  return tokens;
}

function readAlternatives(reader: Reader, depth: number): Test {
  if (depth > 20) return fail(reader.text);
  let test = readTogether(reader, depth);
  while (reader.tokens[reader.at] === "OR") {
    reader.at += 1;
    const [left, right] = [test, readTogether(reader, depth)];
    test = (item) => left(item) || right(item);
  }
  return test;
}

function readTogether(reader: Reader, depth: number): Test {
  let test = readOne(reader, depth);
  for (;;) {
    const next = reader.tokens[reader.at];
    if (next === "AND") reader.at += 1;
    else if (next !== "(") return test;
    const [left, right] = [test, readOne(reader, depth)];
    test = (item) => left(item) && right(item);
  }
}

function readOne(reader: Reader, depth: number): Test {
  const take = (): string => reader.tokens[reader.at++] ?? fail(reader.text);
  const first = take();
  if (first === "(") {
    const inner = readAlternatives(reader, depth + 1);
    return take() === ")" ? inner : fail(reader.text);
  }
  const operator = take();
  const value = take().replace(/^"/, "");
  const path = first.replace(/^"/, "").split(".");
  const textsOf = (item: Item): readonly string[] => valuesAt(item, path);
  switch (operator) {
    case "=":
      return (item) => textsOf(item).includes(value);
    case "!=":
      return (item) => !textsOf(item).includes(value);
    case ":":
      return (item) => textsOf(item).some((text) => value === "*" || text.toLowerCase().includes(value.toLowerCase()));
    case "eq":
      return (item) => textsOf(item).some((text) => isLike(text, value));
    case "ne":
      return (item) => !textsOf(item).some((text) => isLike(text, value));
    default:
      return fail(reader.text);
  }
}

function valuesAt(value: unknown, [name, ...rest]: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesAt(each, name === undefined ? [] : [name, ...rest]));
  if (name === undefined) return isScalar(value) ? [String(value)] : [];
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return [];
  return valuesAt((value as Item)[name], rest);
}

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

// Callers' patterns are not compiled to regular expressions, because some would take exponential time. Only `.*`, `|` and enclosing
// parentheses are special.
function isLike(text: string, pattern: string): boolean {
  const alternatives = pattern
    .replace(/^\^?\(?/, "")
    .replace(/\)?\$?$/, "")
    .split("|");
  return alternatives.some((each) => {
    const parts = each.split(".*").map((part) => part.replaceAll(/\\(.)/g, "$1"));
    const [first = ""] = parts;
    const last = parts.at(-1) ?? "";
    if (parts.length === 1) return text === first;
    if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
    let at = first.length;
    return parts.slice(1, -1).every((part) => {
      const found = text.indexOf(part, at);
      at = found + part.length;
      return found >= 0 && at <= text.length - last.length;
    });
  });
}

function fail(text: string): never {
  return refuse(invalid(`Invalid value for field 'filter': '${text.slice(0, 200)}'. Invalid list filter expression.`));
}
