/** A piece of a line and the class it is painted with. */
export interface Span {
  readonly text: string;
  readonly paint: string;
}

// Colour codes of terminals, whatever else begins with an escape (links and titles end with a bell or a backslash), other control
// characters, and what would turn the direction of the text around.
const escape =
  // oxlint-disable-next-line no-control-regex
  /\u001B\[([0-9;]*)m|\u001B\[[0-9;?]*[A-Za-z]|\u001B[\]P^_][^\u0007\u001B]*(?:\u0007|\u001B\\|$)|\u001B[()][A-Z0-9]|[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;
const paints: Readonly<Record<string, string>> = {
  "31": "cw-err",
  "91": "cw-err",
  "32": "cw-done",
  "92": "cw-done",
  "33": "cw-go",
  "34": "cw-go",
  "36": "cw-go",
};

/** A line of a log as painted pieces; control characters are never shown. */
export function parseAnsi(line: string): Span[] {
  const spans: Span[] = [];
  let paint = paintOf(line);
  let from = 0;
  const add = (to: number): void => {
    if (to > from) spans.push({ text: line.slice(from, to), paint });
  };
  for (const match of line.matchAll(escape)) {
    add(match.index);
    from = match.index + match[0].length;
    const codes = (match[1] ?? "").split(";");
    if (match[1] !== undefined) paint = codes.map((code) => paints[code]).find((known) => known !== undefined) ?? "";
  }
  add(line.length);
  return spans;
}

/** What the platform itself says has no colours: its words tell. */
function paintOf(line: string): string {
  if (/\b(error|failed|fault)\b/i.test(line)) return "cw-err";
  if (/: \w+ finished\b/.test(line)) return "cw-done";
  return /: \w+ started\b/.test(line) ? "cw-go" : "";
}
