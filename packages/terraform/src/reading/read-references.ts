import { isObject, listOf, objectOf, parseJson, type ReadonlyJson } from "@cloudwright/platform";
import { eraseTemplate, eraseTexts } from "./erase-texts.ts";

/** The references that a module's locals and resources contain, keyed by `local.NAME`, `TYPE.NAME` or `data.TYPE.NAME`. */
export type FileReferences = ReadonlyMap<string, readonly string[]>;

const blockStart =
  /^[ \t]*(?:(?<locals>locals)|(?<kind>resource|data)\s+"?(?<type>[\p{ID_Continue}-]+)"?\s+"?(?<name>[\p{ID_Continue}-]+)"?)\s*\{/gmu;
const anyBlock = /^[ \t]*(?:locals|resource|data)\b/m;
const attributeStart = /[\p{ID_Start}_][\p{ID_Continue}-]*(?=\s*=(?![=>]))/uy;
const traversal =
  /(?<![\p{ID_Continue}.\]-])[\p{ID_Start}_][\p{ID_Continue}-]*(?:(?:\[[\s\d]*\])?\.[\p{ID_Start}_][\p{ID_Continue}-]*)+/gu;

type Add = (name: string, references: readonly string[]) => void;

/**
 * Reads the references in the locals and resources of a module from its files. Plans include neither the references in locals nor those in
 * `dynamic` blocks.
 */
export function readReferences(files: Iterable<readonly [path: string, text: string]>): FileReferences {
  const found = new Map<string, string[]>();
  const add: Add = (name, references) => void found.set(name, [...(found.get(name) ?? []), ...references]);
  for (const [path, text] of files) {
    if (/\.(tf|tofu)\.json$/.test(path)) readJson(text, add);
    else if (/\.(tf|tofu)$/.test(path) && anyBlock.test(text)) readBlocks(eraseTexts(text), add);
  }
  return found;
}

function readBlocks(code: string, add: Add): void {
  for (const block of code.matchAll(blockStart)) {
    const body = code.slice(block.index + block[0].length, findEnd(code, block.index + block[0].length));
    const { locals, kind, type = "", name = "" } = block.groups ?? {};
    if (locals !== undefined) readAttributes(body, add);
    else add(kind === "data" ? `data.${type}.${name}` : `${type}.${name}`, listReferences(body));
  }
}

/** Returns the position where the currently open brackets close. */
function findEnd(code: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < code.length && depth > 0; at += 1) depth += step(code[at]);
  return at;
}

function step(sign: string | undefined): number {
  if (sign === "{" || sign === "[" || sign === "(") return 1;
  return sign === "}" || sign === "]" || sign === ")" ? -1 : 0;
}

/** Reads the attributes of a block. Each attribute ends where the next one starts. */
function readAttributes(body: string, add: Add): void {
  const starts: { readonly name: string; readonly at: number }[] = [];
  let depth = 0;
  for (let at = 0; at < body.length; at += 1) {
    depth += step(body[at]);
    if (depth !== 0 || /[\p{ID_Continue}.-]/u.test(body[at - 1] ?? "")) continue;
    attributeStart.lastIndex = at;
    const name = attributeStart.exec(body)?.[0];
    if (name !== undefined) starts.push({ name, at: at + name.length });
  }
  for (const [index, { name, at }] of starts.entries())
    add(`local.${name}`, listReferences(body.slice(at, starts[index + 1]?.at)));
}

function readJson(text: string, add: Add): void {
  const file = objectOf(parseJson(text));
  const addTexts = (name: string, value: ReadonlyJson): void =>
    add(
      name,
      listTexts(value).flatMap((each) => listReferences(eraseTemplate(each))),
    );
  for (const block of listBlocks(file["locals"]))
    for (const [name, value] of Object.entries(block)) addTexts(`local.${name}`, value);
  for (const [kind, prefix] of [
    ["resource", ""],
    ["data", "data."],
  ] as const)
    for (const types of listBlocks(file[kind]))
      for (const [type, named] of Object.entries(types))
        for (const names of listBlocks(named))
          for (const [name, value] of Object.entries(names)) addTexts(`${prefix}${type}.${name}`, value);
}

/** JSON blocks may be single objects or lists. */
function listBlocks(value: ReadonlyJson | undefined) {
  return (Array.isArray(value) ? listOf(value) : [value]).filter(isObject);
}

function listTexts(value: ReadonlyJson): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value as object).flatMap(listTexts) : [];
}

function listReferences(code: string): string[] {
  return [...new Set([...code.matchAll(traversal)].map(([text]) => text))];
}
