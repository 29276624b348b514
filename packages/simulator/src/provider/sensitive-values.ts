import type { Block } from "../schema/schema.ts";
import { isList, isMap, type Value } from "../values/value.ts";

/** Returns every string in a configuration that belongs to a sensitive or write-only attribute. */
export function listSensitiveValues(block: Block, value: Value): string[] {
  if (isList(value)) return value.flatMap((element) => listSensitiveValues(block, element));
  if (!isMap(value)) return [];
  const attributes = Object.entries(block.attributes).flatMap(([name, attribute]) => {
    const inner = value[name] ?? null;
    if (attribute.sensitive || attribute.writeOnly) return typeof inner === "string" ? [inner] : [];
    return attribute.nested === undefined ? [] : listNested(attribute.nested.nesting === "map", attribute.nested.block, inner);
  });
  const blocks = Object.entries(block.blocks).flatMap(([name, nested]) =>
    listNested(nested.nesting === "map", nested.block, value[name] ?? null),
  );
  return [...attributes, ...blocks];
}

function listNested(isKeyed: boolean, block: Block, value: Value): string[] {
  if (isKeyed && isMap(value)) return Object.values(value).flatMap((element) => listSensitiveValues(block, element));
  return listSensitiveValues(block, value);
}
