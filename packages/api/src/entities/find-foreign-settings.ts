import { cloudNames, findCloud, type CloudName, type JsonObject } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";
import { isEqual } from "./json-tree.ts";
import type { JudgedEntity } from "./judge.ts";

/** Returns a violation for each new or changed section of a spec that applies to a cloud other than that of the entity's account. */
export function findForeignSettings({ spec }: JudgedEntity, before: JsonObject, cloud: CloudName): FieldViolation[] {
  return cloudNames.flatMap((name): FieldViolation[] => {
    if (name === cloud || spec[name] === undefined || isEqual(spec[name], before[name])) return [];
    const [given, own] = [name, cloud].map((each) => findCloud(each)?.title ?? each);
    return [{ field: `spec.${name}`, message: `applies only to ${given}, but the account is in ${own}; remove these settings` }];
  });
}
