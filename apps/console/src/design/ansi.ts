/** A part of a log line and its CSS class. */
export interface Span {
  readonly text: string;
  readonly paint: string;
}

// Matches terminal colour codes, other escape sequences, control characters and text direction overrides. Escape sequences for links and
// titles end with a bell character, or with an escape character and a backslash.
const escape =
  // oxlint-disable-next-line no-control-regex
  /\u001B\[([0-9;]*)m|\u001B\[[0-9;?]*[A-Za-z]|\u001B[\]P^_][^\u0007\u001B]*(?:\u0007|\u001B\\|$)|\u001B[()][A-Z0-9]|[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;
const colours: Readonly<Record<string, string>> = {
  "1": "cw-err",
  "2": "cw-done",
  "3": "cw-note-worthy",
  "4": "cw-go",
  "5": "cw-odd",
  "6": "cw-far",
};

/** Splits a log line into coloured parts and removes control characters. */
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
    if (match[1] !== undefined) paint = paintBy(match[1], paint);
  }
  add(line.length);
  return spans;
}

/** Returns the CSS class that applies after a colour code. Colour and weight persist until another code changes them. */
function paintBy(codes: string, before: string): string {
  let [colour = "", weight = ""] = [/cw-(?!bold|dim)[\w-]+/.exec(before)?.[0], /cw-(?:bold|dim)/.exec(before)?.[0]];
  for (const code of codes.split(";")) {
    if (code === "" || code === "0") [colour, weight] = ["", ""];
    else if (code === "1") weight = "cw-bold";
    else if (code === "2") weight = "cw-dim";
    else if (code === "22") weight = "";
    else if (/^[39][0-79]$/.test(code)) colour = colours[code.slice(1)] ?? "";
  }
  return [colour, weight].filter((part) => part !== "").join(" ");
}

/** Returns the CSS class of a platform message. Platform messages have no colour codes and are classified by keywords. */
function paintOf(line: string): string {
  if (/\b(error|failed|fault)\b/i.test(line)) return "cw-err";
  if (/: \w+ finished\b/.test(line)) return "cw-done";
  return /: \w+ started\b/.test(line) ? "cw-go" : "";
}
