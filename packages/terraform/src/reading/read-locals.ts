import { isObject, listOf, parseJson, type JsonValue } from "../json.ts";
import { eraseTemplate, eraseTexts } from "./erase-texts.ts";

/** The local values of a module by name, each with the references in it: `local.name`, `aws_vpc.main.id`. */
export type LocalReferences = ReadonlyMap<string, readonly string[]>;

const blockStart = /^[ \t]*locals\s*\{/gm;
const attributeStart = /[\p{ID_Start}_][\p{ID_Continue}-]*(?=\s*=(?![=>]))/uy;
const traversal =
  /(?<![\p{ID_Continue}.\]-])[\p{ID_Start}_][\p{ID_Continue}-]*(?:(?:\[[\s\d]*\])?\.[\p{ID_Start}_][\p{ID_Continue}-]*)+/gu;

/** The local values of a module by its files. Plans say who uses one, and nowhere what one is made of. */
export function readLocals(files: Iterable<readonly [path: string, text: string]>): LocalReferences {
  const found = new Map<string, string[]>();
  const add = (name: string, references: readonly string[]): void =>
    void found.set(name, [...(found.get(name) ?? []), ...references]);
  for (const [path, text] of files) {
    if (!text.includes("locals")) continue;
    if (/\.(tf|tofu)\.json$/.test(path)) readJson(text, add);
    else if (/\.(tf|tofu)$/.test(path)) readBlocks(eraseTexts(text), add);
  }
  return found;
}

type Add = (name: string, references: readonly string[]) => void;

function readBlocks(code: string, add: Add): void {
  for (const block of code.matchAll(blockStart)) {
    let name = "";
    let from = 0;
    let depth = 1;
    let at = block.index + block[0].length;
    const finish = (): void => {
      if (name !== "") add(name, listReferences(code.slice(from, at)));
    };
    for (; at < code.length && depth > 0; at += 1) {
      attributeStart.lastIndex = at;
      const isStart = depth === 1 && !/[\p{ID_Continue}.-]/u.test(code[at - 1] as string);
      const attribute = isStart ? attributeStart.exec(code)?.[0] : undefined;
      if (attribute !== undefined) {
        finish();
        name = attribute;
        from = at + attribute.length;
      }
      if ("{[(".includes(code[at] as string)) depth += 1;
      if ("}])".includes(code[at] as string)) depth -= 1;
    }
    finish();
  }
}

function readJson(text: string, add: Add): void {
  const file = parseJson(text);
  const locals = isObject(file) ? (file["locals"] ?? []) : [];
  for (const block of Array.isArray(locals) ? listOf(locals) : [locals]) {
    if (!isObject(block)) continue;
    for (const [name, value] of Object.entries(block))
      add(
        name,
        listTexts(value).flatMap((each) => listReferences(eraseTemplate(each))),
      );
  }
}

function listTexts(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value as object).flatMap(listTexts) : [];
}

function listReferences(code: string): string[] {
  return [...new Set([...code.matchAll(traversal)].map(([text]) => text))];
}
