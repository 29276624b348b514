import { isList, isMap, type Value, type ValueMap } from "./value.ts";

export { numberOf, textOf } from "@cloudwright/platform";

/** The map, or an empty one. */
export function mapOf(value: Value | undefined): ValueMap {
  return isMap(value) ? value : {};
}

/** The first block of that name, or an empty one. */
export function blockOf(attributes: ValueMap | null | undefined, name: string): ValueMap {
  const blocks = attributes?.[name];
  return mapOf(isList(blocks) ? blocks[0] : undefined);
}

/** All text at a dotted path, which runs through every element: `vpc_config.subnet_ids`. */
export function textsAt(value: Value | undefined, path: string): readonly string[] {
  if (isList(value)) return value.flatMap((element) => textsAt(element, path));
  if (path === "") return typeof value === "string" && value !== "" ? [value] : [];
  const [name = "", ...rest] = path.split(".");
  return isMap(value) ? textsAt(value[name], rest.join(".")) : [];
}
