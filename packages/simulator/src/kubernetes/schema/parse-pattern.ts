/** Returns whether a character class contains a code point. */
export type Accepts = (code: number) => boolean;

/** A zero-width assertion, such as the start of the text or a word boundary. */
export type Place = "start" | "end" | "lineStart" | "lineEnd" | "word" | "notWord";

/** A part of a parsed pattern. */
export type Node =
  | { readonly is: "char"; readonly accepts: Accepts }
  | { readonly is: "place"; readonly place: Place }
  | { readonly is: "all"; readonly parts: readonly Node[] }
  | { readonly is: "any"; readonly parts: readonly Node[] }
  | { readonly is: "repeat"; readonly part: Node; readonly least: number; readonly most: number };

interface Flags {
  readonly ignoreCase: boolean;
  readonly manyLines: boolean;
  readonly dotAll: boolean;
}

const mostRepeats = 1000;
const deepestNesting = 200;
const longestPattern = 10_000;
const noFlags: Flags = { ignoreCase: false, manyLines: false, dotAll: false };

/** Parses a pattern in RE2 syntax. Throws a SyntaxError if it is invalid, or uses lookaround or back references. */
export function parsePattern(source: string): Node {
  if (source.length > longestPattern) throw new SyntaxError("the expression is too large");
  const chars = Array.from(source);
  let at = 0;
  let depth = 0;

  const peek = (text: string): boolean => chars.slice(at, at + text.length).join("") === text;
  const take = (text: string): boolean => peek(text) && ((at += text.length), true);
  const next = (): string => chars[at++] ?? fail("the expression ends too early");

  function parseAny(flags: Flags): Node {
    const parts = [parseAll(flags)];
    while (take("|")) parts.push(parseAll(flags));
    return parts.length === 1 ? (parts[0] as Node) : { is: "any", parts };
  }

  function parseAll(given: Flags): Node {
    let flags = given;
    const parts: Node[] = [];
    while (at < chars.length && !peek("|") && !peek(")")) {
      const only = parseFlags(flags);
      if (only === undefined) parts.push(...parseRepeated(flags));
      else if (take(")")) flags = only;
      else parts.push(...repeat([parseGroup(only)]));
    }
    return { is: "all", parts };
  }

  // Reads flags such as `(?i`, up to the `)` or `:` that follows.
  function parseFlags(flags: Flags): Flags | undefined {
    const [, on = "", off = "", isGroup = ""] =
      /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(chars.slice(at, at + 12).join("")) ?? [];
    if (isGroup === "" || (isGroup === ")" && on + off === "")) return undefined;
    while (!peek(")") && !peek(":")) at++;
    const isOn = (letter: string, was: boolean): boolean => (was || on.includes(letter)) && !off.includes(letter);
    return { ignoreCase: isOn("i", flags.ignoreCase), manyLines: isOn("m", flags.manyLines), dotAll: isOn("s", flags.dotAll) };
  }

  function parseGroup(flags: Flags): Node {
    if (!take(":") && !/^\(\?P?<[A-Za-z_]\w*>$/.test(takeName())) {
      if (!take("(")) fail("missing argument to a group");
      if (peek("?")) fail("invalid or unsupported Perl syntax");
    }
    if (++depth > deepestNesting) fail("the expression nests too deeply");
    const inside = parseAny(flags);
    depth--;
    if (!take(")")) fail("missing closing )");
    return inside;
  }

  function takeName(): string {
    if (!peek("(?P<") && !(peek("(?<") && !peek("(?<=") && !peek("(?<!"))) return "";
    const end = chars.indexOf(">", at);
    if (end < 0) return "";
    const name = chars.slice(at, end + 1).join("");
    at = end + 1;
    return name;
  }

  function parseRepeated(flags: Flags): Node[] {
    return repeat(peek("\\Q") ? parseQuoted(flags) : [parseOne(flags)]);
  }

  function parseQuoted(flags: Flags): Node[] {
    at += 2;
    const parts: Node[] = [];
    while (at < chars.length && !take("\\E")) parts.push(charNode(literal(next()), flags));
    return parts;
  }

  // Applies a quantifier to the last of the given parts.
  function repeat(parts: Node[]): Node[] {
    const range = readRange();
    if (range === undefined) return parts;
    const part = parts.pop() ?? fail("missing argument to a repetition operator");
    take("?");
    if (readRange() !== undefined) fail("invalid nested repetition operator");
    return [...parts, { is: "repeat", part, ...range }];
  }

  function readRange(): { least: number; most: number } | undefined {
    if (take("*")) return { least: 0, most: Infinity };
    if (take("+")) return { least: 1, most: Infinity };
    if (take("?")) return { least: 0, most: 1 };
    const [whole, least = "", comma, most = ""] = /^\{(\d+)(,(\d*))?\}/.exec(chars.slice(at, at + 16).join("")) ?? [];
    if (whole === undefined) return undefined;
    at += whole.length;
    const range = { least: Number(least), most: comma === undefined ? Number(least) : most === "" ? Infinity : Number(most) };
    const isValid =
      range.least <= range.most && range.least <= mostRepeats && (range.most === Infinity || range.most <= mostRepeats);
    return isValid ? range : fail("invalid repeat count");
  }

  function parseOne(flags: Flags): Node {
    if (peek("(")) return parseGroup(flags);
    if (peek("[")) return charNode(parseClass(), flags);
    const char = next();
    switch (char) {
      case ".":
        return { is: "char", accepts: flags.dotAll ? () => true : (code) => code !== 10 };
      case "^":
        return { is: "place", place: flags.manyLines ? "lineStart" : "start" };
      case "$":
        return { is: "place", place: flags.manyLines ? "lineEnd" : "end" };
      case "*":
      case "+":
      case "?":
        return fail("missing argument to a repetition operator");
      case "\\":
        return parseEscape(flags);
      default:
        return charNode(literal(char), flags);
    }
  }

  function parseEscape(flags: Flags): Node {
    const places: Record<string, Place> = { A: "start", z: "end", b: "word", B: "notWord" };
    const letter = chars[at] ?? fail("trailing backslash");
    const place = Object.hasOwn(places, letter) ? places[letter] : undefined;
    if (place !== undefined) {
      at++;
      return { is: "place", place };
    }
    return charNode(readSet() ?? literal(readEscaped()), flags);
  }

  // Reads the rest of a class escape such as `\d` or `\pL`, after the backslash. Returns undefined if the escape sequence stands for one
  // character.
  function readSet(): Accepts | undefined {
    const letter = chars[at] ?? "";
    if (/^[dDsSwW]$/.test(letter)) {
      at++;
      return perlClass(letter);
    }
    if (letter !== "p" && letter !== "P") return undefined;
    const [whole = "", braced, short] = /^[pP](?:\{(\^?\w+)\}|([A-Z]))/.exec(chars.slice(at, at + 40).join("")) ?? [];
    if (whole === "") fail("invalid character class");
    at += whole.length;
    const name = braced ?? short ?? "";
    const accepts = unicodeClass(name.replace("^", ""));
    return (letter === "P") === name.startsWith("^") ? accepts : not(accepts);
  }

  // Reads the rest of an escape sequence for one character, after the backslash.
  function readEscaped(): string {
    const char = next();
    const control: Record<string, string> = { a: "\u0007", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };
    if (Object.hasOwn(control, char)) return control[char] as string;
    const rest = chars.slice(at, at + 12).join("");
    const hex = char === "x" ? /^(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))/.exec(rest) : null;
    const octal = /^[0-7]$/.test(char) ? /^[0-7]{3}|^0[0-7]{0,2}/.exec(char + rest) : null;
    if (hex !== null) {
      at += hex[0].length;
      const code = Number.parseInt(hex[1] ?? hex[2] ?? "", 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : fail("invalid escape sequence");
    }
    if (octal !== null) {
      at += octal[0].length - 1;
      return String.fromCodePoint(Number.parseInt(octal[0], 8));
    }
    if (/^[A-Za-z0-9]$/.test(char)) fail("invalid escape sequence");
    return char;
  }

  function parseClass(): Accepts {
    at++;
    const isNegated = take("^");
    const sets: Accepts[] = [];
    for (let isFirst = true; isFirst || !peek("]"); isFirst = false) {
      const named = /^\[:(\^?)([a-z]+):\]/.exec(chars.slice(at, at + 16).join(""));
      if (named !== null) {
        at += named[0].length;
        const accepts = posixClass(named[2] ?? "");
        sets.push(named[1] === "^" ? not(accepts) : accepts);
        continue;
      }
      const isEscaped = take("\\");
      const set = isEscaped ? readSet() : undefined;
      if (set !== undefined) {
        sets.push(set);
        continue;
      }
      const low = codeOf(isEscaped ? readEscaped() : next());
      const isRange = peek("-") && chars[at + 1] !== "]" && at + 1 < chars.length;
      if (!isRange) {
        sets.push((code) => code === low);
        continue;
      }
      at++;
      const high = codeOf(take("\\") ? readEscaped() : next());
      if (high < low) fail("invalid character class range");
      sets.push((code) => code >= low && code <= high);
    }
    at++;
    const accepts: Accepts = (code) => sets.some((set) => set(code));
    return isNegated ? not(accepts) : accepts;
  }

  const pattern = parseAny(noFlags);
  if (at < chars.length) fail("unexpected )");
  return pattern;
}

function fail(message: string): never {
  throw new SyntaxError(message);
}

function charNode(accepts: Accepts, { ignoreCase }: Flags): Node {
  if (!ignoreCase) return { is: "char", accepts };
  const variants = (code: number): number[] => {
    const char = String.fromCodePoint(code);
    return [code, codeOf(char.toLowerCase()), codeOf(char.toUpperCase())];
  };
  return { is: "char", accepts: (code) => variants(code).some(accepts) };
}

function literal(char: string): Accepts {
  const wanted = codeOf(char);
  return (code) => code === wanted;
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? -1;
}

function not(accepts: Accepts): Accepts {
  return (code) => !accepts(code);
}

function oneChar(expression: RegExp): Accepts {
  return (code) => expression.test(String.fromCodePoint(code));
}

// In RE2, these classes contain only ASCII characters.
function perlClass(letter: string): Accepts {
  const accepts = { d: oneChar(/^[0-9]$/), s: oneChar(/^[\t\n\f\r ]$/), w: oneChar(/^[0-9A-Za-z_]$/) }[
    letter.toLowerCase()
  ] as Accepts;
  return letter === letter.toLowerCase() ? accepts : not(accepts);
}

const posix: Record<string, Accepts> = {
  alnum: oneChar(/^[0-9A-Za-z]$/),
  alpha: oneChar(/^[A-Za-z]$/),
  ascii: (code) => code < 128,
  blank: oneChar(/^[\t ]$/),
  cntrl: (code) => code < 32 || code === 127,
  digit: oneChar(/^[0-9]$/),
  graph: oneChar(/^[!-~]$/),
  lower: oneChar(/^[a-z]$/),
  print: oneChar(/^[ -~]$/),
  punct: oneChar(/^[!-/:-@[-`{-~]$/),
  space: oneChar(/^[\t\n\v\f\r ]$/),
  upper: oneChar(/^[A-Z]$/),
  word: oneChar(/^[0-9A-Za-z_]$/),
  xdigit: oneChar(/^[0-9A-Fa-f]$/),
};

function posixClass(name: string): Accepts {
  return Object.hasOwn(posix, name) ? (posix[name] as Accepts) : fail("invalid character class");
}

function unicodeClass(name: string): Accepts {
  if (name === "Any") return () => true;
  try {
    return oneChar(new RegExp(name.length <= 2 ? `^\\p{${name}}$` : `^\\p{Script=${name}}$`, "u"));
  } catch {
    return fail("invalid character class");
  }
}
