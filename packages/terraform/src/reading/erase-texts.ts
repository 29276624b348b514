/**
 * Removes comments and literal strings from HCL, so that a search for references finds only code. One-word strings are kept, because they
 * may be block labels. Expressions in templates are kept, in parentheses.
 */
export function eraseTexts(text: string): string {
  return readCode(text, 0, false).out;
}

/** Like `eraseTexts`, but for a single template string, as in JSON configurations. */
export function eraseTemplate(text: string): string {
  return readText(text, 0, text.length, false).out;
}

interface Read {
  readonly out: string;
  readonly end: number;
}

const comment = /(?:#|\/\/)[^\n]*|\/\*[^]*?(?:\*\/|$)/y;
const heredoc = /<<-?(?<mark>[\p{ID_Start}_][\p{ID_Continue}-]*)\r?\n/uy;
/** Matches code up to the next comment, string or bracket. */
const plain = /(?:[^#/<"{}]|\/(?![/*])|<(?!<))+/y;
const escaped = /\$\$\{|%%\{|\\[^]/y;
/** A one-word string, which may be a block label. */
const label = /"[\p{ID_Continue}-]+"/uy;
const literal = /[^"\\$%]+/y;

function readCode(text: string, from: number, isTemplate: boolean): Read {
  let out = "";
  let at = from;
  let depth = 0;
  while (at < text.length) {
    const words = matchAt(plain, text, at)?.[0];
    const ignored = words ?? matchAt(comment, text, at)?.[0];
    const start = ignored === undefined ? matchAt(heredoc, text, at) : undefined;
    if (ignored !== undefined) {
      out += words ?? "";
      at += ignored.length;
    } else if (start !== undefined) {
      const read = readHeredoc(text, at + start[0].length, start.groups?.["mark"] ?? "");
      out += read.out;
      at = read.end;
    } else if (matchAt(label, text, at) !== undefined) {
      const word = matchAt(label, text, at)?.[0] ?? "";
      out += word;
      at += word.length;
    } else if (text[at] === '"') {
      const read = readText(text, at + 1, text.length, true);
      out += read.out;
      at = read.end + 1;
    } else {
      if (text[at] === "}" && depth === 0 && isTemplate) return { out, end: at + 1 };
      depth += text[at] === "{" ? 1 : text[at] === "}" ? -1 : 0;
      out += text[at] ?? "";
      at += 1;
    }
  }
  return { out, end: at };
}

function readHeredoc(text: string, from: number, mark: string): Read {
  const end = new RegExp(String.raw`^[ \t]*${mark}\r?$`, "mu").exec(text.slice(from));
  const until = end === null ? text.length : from + end.index;
  return { out: readText(text, from, until, false).out, end: until + (end?.[0].length ?? 0) };
}

/** Extracts the templates from a string. */
function readText(text: string, from: number, until: number, isQuoted: boolean): Read {
  let out = "";
  let at = from;
  const last = isQuoted ? '"' : "";
  while (at < until && text[at] !== last) {
    if (/^[$%]\{$/.test(text.slice(at, at + 2))) {
      const read = readCode(text, at + 2, true);
      out += ` (${read.out}) `;
      at = read.end;
    } else at += matchAt(literal, text, at)?.[0].length ?? matchAt(escaped, text, at)?.[0].length ?? 1;
  }
  return { out: out === "" ? " " : out, end: Math.min(at, until) };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
