import { isObject, parseJson } from "@cloudwright/platform";
import { matchAt, skipToken } from "./hcl-tokens.ts";

/** Returns the names of a root module's outputs. Files in subfolders are other modules. */
export function readOutputNames(files: Iterable<readonly [path: string, text: string]>): readonly string[] {
  const found = new Set<string>();
  for (const [path, text] of files) {
    if (path.includes("/")) continue;
    const names = path.endsWith(".json") ? readJsonNames(text) : readHclNames(text);
    for (const name of names) found.add(name);
  }
  return [...found];
}

const outputStart = /output\s+"?(?<name>[\p{ID_Start}_][\p{ID_Continue}-]*)"?\s*\{/uy;

function readHclNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const skipped = skipToken(text, at);
    const output = depth === 0 ? matchAt(outputStart, text, at) : undefined;
    const word = matchAt(/[\p{ID_Start}_][\p{ID_Continue}-]*/uy, text, at);
    if (skipped > at) at = skipped;
    else if (output !== undefined) {
      names.push(output.groups?.["name"] as string);
      depth += 1;
      at += output[0].length;
    } else {
      if ("{[(".includes(text[at] as string)) depth += 1;
      if ("}])".includes(text[at] as string)) depth -= 1;
      at += word?.[0].length ?? 1;
    }
  }
  return names;
}

function readJsonNames(text: string): string[] {
  const parsed = parseJson(text);
  const outputs = isObject(parsed) ? parsed["output"] : undefined;
  const blocks = Array.isArray(outputs) ? outputs : [outputs];
  return blocks.flatMap((block) => (isObject(block) ? Object.keys(block) : []));
}
