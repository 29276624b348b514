import type { Block } from "./schema.ts";
import { isList, isMap, unknown, type Value, type ValueMap } from "../values/value.ts";

/** Returns an empty string for each optional string attribute with an unknown value. A hook may replace the empty string. */
export function listBlanks(block: Block, planned: ValueMap): ValueMap {
  const attributes = Object.entries(block.attributes)
    .filter(([name, { optional, type }]) => name !== "id" && optional && type === "string" && planned[name] === unknown)
    .map(([name]): [string, Value] => [name, ""]);
  const blocks = Object.entries(block.blocks).flatMap(([name, { block: inner }]): [string, Value][] => {
    const given = planned[name];
    if (isMap(given)) return [[name, listBlanks(inner, given)]];
    return isList(given) ? [[name, given.map((element) => (isMap(element) ? listBlanks(inner, element) : {}))]] : [];
  });
  return Object.fromEntries([...attributes, ...blocks]);
}

/** Merges two values recursively, including lists of equal length. The second value takes precedence. */
export function mergeValues(base: Value | undefined, over: Value | undefined): Value {
  if (over === undefined) return base ?? null;
  if (isMap(base) && isMap(over)) {
    const names = new Set([...Object.keys(base), ...Object.keys(over)]);
    return Object.fromEntries([...names].map((name) => [name, mergeValues(base[name], over[name])]));
  }
  if (isList(base) && isList(over) && base.length === over.length) {
    return over.map((element, index) => mergeValues(base[index], element));
  }
  return over;
}
