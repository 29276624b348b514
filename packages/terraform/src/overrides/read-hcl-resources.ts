import type { ConfiguredResource } from "./ignore-rules.ts";

/**
 * Returns the resources in an HCL file with the changes that they ignore. This is not a full parser: it recognises comments, strings and
 * brackets to find blocks, and skips everything else.
 */
export function readHclResources(text: string): readonly ConfiguredResource[] {
  const found: ConfiguredResource[] = [];
  let at = 0;
  const blocks: string[] = [];
  while (at < text.length) {
    const skipped = skipToken(text, at);
    const here = blocks.join(" ");
    const block = here === "" ? matchAt(resourceStart, text, at) : matchAt(lifecycleStart, text, at);
    const list = here === "resource lifecycle" ? matchAt(ignoreStart, text, at) : undefined;
    if (skipped > at) at = skipped;
    else if (here === "" && block !== undefined) {
      blocks.push("resource");
      found.push({ type: block.groups?.["type"] as string, name: block.groups?.["name"] as string });
      at += block[0].length;
    } else if (here === "resource" && block !== undefined) {
      blocks.push("lifecycle");
      at += block[0].length;
    } else if (list !== undefined) {
      const { items, end } = readList(text, at + list[0].length);
      const resource = found.at(-1) as ConfiguredResource;
      if (items.length > 0) found[found.length - 1] = { ...resource, ignoreChanges: items.includes("all") ? "all" : items };
      at = end;
    } else {
      const word = matchAt(/[\p{ID_Start}_][\p{ID_Continue}-]*/uy, text, at);
      if ("{[(".includes(text[at] as string)) blocks.push("other");
      if ("}])".includes(text[at] as string)) blocks.pop();
      at += word?.[0].length ?? 1;
    }
  }
  return found;
}

const label = (name: string): string => String.raw`\s+"?(?<${name}>[\p{ID_Start}_][\p{ID_Continue}-]*)"?`;
const resourceStart = new RegExp(String.raw`resource${label("type")}${label("name")}\s*\{`, "uy");
const lifecycleStart = /lifecycle\s*\{/y;
const ignoreStart = /ignore_changes\s*=\s*/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Returns the end of the comment, string or heredoc that starts at a position. Returns the position itself if none does. */
function skipToken(text: string, at: number): number {
  const comment = matchAt(/(#|\/\/)[^\n]*|\/\*[^]*?(\*\/|$)/y, text, at);
  if (comment !== undefined) return at + comment[0].length;
  const heredoc = matchAt(/<<-?(?<end>[\p{ID_Start}_][\p{ID_Continue}-]*)\r?\n/uy, text, at);
  if (heredoc !== undefined) {
    const end = matchAt(new RegExp(String.raw`[^]*?^[ \t]*${heredoc.groups?.["end"]}\r?$`, "muy"), text, at + heredoc[0].length);
    return end === undefined ? text.length : at + heredoc[0].length + end[0].length;
  }
  return text[at] === '"' ? skipText(text, at + 1) : at;
}

function skipText(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '"') {
    const isTemplate = /^[$%]\{$/.test(text.slice(at, at + 2)) && text[at - 1] !== text[at];
    if (isTemplate) at = skipTemplate(text, at + 2);
    else at += text[at] === "\\" ? 2 : 1;
  }
  return at + 1;
}

function skipTemplate(text: string, from: number): number {
  let at = from;
  for (let depth = 1; at < text.length && depth > 0;) {
    const skipped = skipToken(text, at);
    if (skipped === at && text[at] === "{") depth += 1;
    if (skipped === at && text[at] === "}") depth -= 1;
    at = skipped === at ? at + 1 : skipped;
  }
  return at;
}

function readList(text: string, from: number): { items: string[]; end: number } {
  if (text[from] !== "[") {
    const word = matchAt(/\w+/y, text, from)?.[0] ?? "";
    return { items: word === "" ? [] : [word], end: from + word.length };
  }
  const items: string[] = [];
  let item = "";
  let at = from + 1;
  for (let depth = 1; at < text.length && depth > 0;) {
    const skipped = skipToken(text, at);
    const sign = text[at] as string;
    if (sign === "[") depth += 1;
    if (sign === "]") depth -= 1;
    const isEnd = depth === 0 || (sign === "," && depth === 1);
    if (isEnd) {
      if (item !== "") items.push(item);
      item = "";
    } else if (skipped > at) item += sign === '"' ? text.slice(at, skipped) : "";
    else if (!/\s/.test(sign)) item += sign;
    at = Math.max(skipped, at + 1);
  }
  return { items, end: at };
}
