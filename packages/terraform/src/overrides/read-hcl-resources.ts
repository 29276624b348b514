import { matchAt, skipToken } from "./hcl-tokens.ts";
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
