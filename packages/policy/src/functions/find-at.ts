import { isCelMap, type CelValue } from "@bufbuild/cel";

/** The value at a dotted path of names; the other one where a name on the way is missing, or holds null or no object. */
export function findAt(from: CelValue, path: string, otherwise: CelValue): CelValue {
  let value: CelValue | undefined = from;
  for (const name of path.split(".")) {
    value = isCelMap(value) ? value.get(name) : undefined;
    if (value === undefined || value === null) return otherwise;
  }
  return value;
}
