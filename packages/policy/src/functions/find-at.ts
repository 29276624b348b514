import { isCelMap, type CelValue } from "@bufbuild/cel";

/** Returns the value at a dotted path. Returns `otherwise` if a segment of the path is missing, null or not an object. */
export function findAt(from: CelValue, path: string, otherwise: CelValue): CelValue {
  let value: CelValue | undefined = from;
  for (const name of path.split(".")) {
    value = isCelMap(value) ? value.get(name) : undefined;
    if (value === undefined || value === null) return otherwise;
  }
  return value;
}
