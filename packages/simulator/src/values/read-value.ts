import { isList, isMap, type Value, type ValueMap } from "./value.ts";

export { numberOf, textOf } from "@cloudwright/platform";

/** Returns the value if it is a map, otherwise an empty map. */
export function mapOf(value: Value | undefined): ValueMap {
  return isMap(value) ? value : {};
}

/** Returns the first block with this name, or an empty one. */
export function blockOf(attributes: ValueMap | null | undefined, name: string): ValueMap {
  const blocks = attributes?.[name];
  return mapOf(isList(blocks) ? blocks[0] : undefined);
}

/**
 * Returns all non-empty strings at a dotted path such as `vpc_config.subnet_ids`. If the path leads through a list, all elements are
 * searched.
 */
export function textsAt(value: Value | undefined, path: string): readonly string[] {
  if (isList(value)) return value.flatMap((element) => textsAt(element, path));
  if (path === "") return typeof value === "string" && value !== "" ? [value] : [];
  const [name = "", ...rest] = path.split(".");
  return isMap(value) ? textsAt(value[name], rest.join(".")) : [];
}
