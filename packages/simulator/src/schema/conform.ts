import { isList, isMap, unknown, type Value } from "../values/value.ts";
import type { Block, Nesting } from "./schema.ts";

/**
 * Fits a value to its schema: missing attributes become null, missing blocks become empty, and unknown attributes are dropped.
 * Terraform rejects objects with a missing attribute or with a null block.
 */
export function conform(block: Block, value: Value): Value {
  if (value === null || value === unknown) return value;
  const given = isMap(value) ? value : {};
  const attributes = Object.entries(block.attributes).map(([name, { nested }]): [string, Value] => {
    const inner = given[name] ?? null;
    return [name, nested === undefined || inner === null ? inner : conformNested(nested.nesting, nested.block, inner)];
  });
  const blocks = Object.entries(block.blocks).map(([name, nested]): [string, Value] => [
    name,
    conformNested(nested.nesting, nested.block, given[name] ?? null),
  ]);
  return Object.fromEntries([...attributes, ...blocks]);
}

function conformNested(nesting: Nesting, block: Block, value: Value): Value {
  if (value === unknown) return value;
  switch (nesting) {
    case "single":
      return conform(block, value);
    case "group":
      return conform(block, value ?? {});
    case "list":
    case "set":
      return (isList(value) ? value : []).map((element) => conform(block, element));
    case "map":
      return Object.fromEntries(
        Object.entries(isMap(value) ? value : {}).map(([key, element]) => [key, conform(block, element)]),
      );
  }
}
