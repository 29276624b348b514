import { cloudNames, findCloud, type CloudName, type JsonObject } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";
import { getAt, isEqual, isObject } from "./json-tree.ts";
import type { JudgedEntity } from "./judge.ts";

/** Returns a violation for each new or changed section of a spec that applies to a cloud other than that of the entity's account. */
export function findForeignSettings({ spec }: JudgedEntity, before: JsonObject, cloud: CloudName): FieldViolation[] {
  return listSections(spec).flatMap(([name, path]): FieldViolation[] => {
    if (name === cloud || isEqual(getAt(spec, path) ?? null, getAt(before, path) ?? null)) return [];
    const [given, own] = [name, cloud].map((each) => findCloud(each)?.title ?? each);
    const message = `applies only to ${given}, but the account is in ${own}; remove these settings`;
    return [{ field: `spec.${path.join(".")}`, message }];
  });
}

/** Lists the sections for single clouds, both in the spec itself and in its parts, such as a bucket. */
function listSections(spec: JsonObject): (readonly [cloud: CloudName, path: readonly string[]])[] {
  const parts = Object.keys(spec).filter((part) => isObject(spec[part]));
  return cloudNames.flatMap((name) => [
    ...(spec[name] === undefined ? [] : [[name, [name]] as const]),
    ...parts.filter((part) => isObject(getAt(spec, [part, name]))).map((part) => [name, [part, name]] as const),
  ]);
}
