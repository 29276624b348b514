import type { Block, Nesting } from "../schema/schema.ts";
import { nestedType } from "../schema/schema.ts";
import { isSame } from "../values/compare.ts";
import { isList, isMap, type Value, type ValueMap } from "../values/value.ts";

/** The path of a value within a record. */
export type Path = readonly (string | number)[];

/** Returns the paths in `forceNew` whose values differ. Each difference requires a replacement. */
export function findReplacements(block: Block, forceNew: readonly string[], prior: ValueMap, planned: ValueMap): Path[] {
  return forceNew.flatMap((pattern) => findInBlock(block, pattern.split("."), prior, planned, []));
}

function findInBlock(block: Block, pattern: readonly string[], prior: ValueMap, planned: ValueMap, path: Path): Path[] {
  const [name = "", ...rest] = pattern;
  const nested = block.blocks[name] ?? block.attributes[name]?.nested;
  const type = nested === undefined ? (block.attributes[name]?.type ?? "dynamic") : nestedType(nested.nesting, nested.block);
  const before = prior[name] ?? null;
  const after = planned[name] ?? null;
  const here = [...path, name];
  if (isSame(type, before, after)) return [];
  if (rest.length === 0 || nested === undefined) return [here];
  return findInNested(nested.nesting, nested.block, rest, before, after, here);
}

function findInNested(nesting: Nesting, block: Block, rest: readonly string[], before: Value, after: Value, path: Path): Path[] {
  // Set elements have no index, so a difference within an element is reported with the path of the whole set.
  if (nesting === "set") return isSame(["set", "dynamic"], pick(before, rest), pick(after, rest)) ? [] : [path];
  const keys = nesting === "single" || nesting === "group" ? [undefined] : keysOf(before, after);
  return keys.flatMap((key) => {
    const a = elementAt(before, key);
    const b = elementAt(after, key);
    const here = key === undefined ? path : [...path, key];
    if (isMap(a) && isMap(b)) return findInBlock(block, rest, a, b, here);
    return isSame("dynamic", a ?? null, b ?? null) ? [] : [path];
  });
}

function keysOf(before: Value, after: Value): (string | number)[] {
  if (isList(before) && isList(after)) return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index);
  return isMap(before) && isMap(after) ? [...new Set([...Object.keys(before), ...Object.keys(after)])] : [0];
}

function elementAt(value: Value, key: string | number | undefined): Value | undefined {
  if (key === undefined) return value;
  if (isList(value)) return value[Number(key)];
  return isMap(value) ? value[key] : value;
}

function pick(set: Value, path: readonly string[]): Value {
  if (!isList(set)) return set;
  return set.map((element) => path.reduce<Value>((value, name) => (isMap(value) ? (value[name] ?? null) : null), element));
}
