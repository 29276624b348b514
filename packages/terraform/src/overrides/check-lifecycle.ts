import { isObject } from "@cloudwright/platform";
import { checkReferences } from "./check-references.ts";
import { checkValue } from "./check-value.ts";
import { commentKey, listMembers, listPlaced, type Placed } from "./json-blocks.ts";
import type { OverrideProblem } from "./override-problem.ts";

/** Returns the problems in `lifecycle`. Overrides may not remove protection, forget existing resources or run actions. */
export function checkLifecycle(placed: Placed): readonly OverrideProblem[] {
  return listPlaced(placed).flatMap(({ path, value }) =>
    isObject(value) ? listMembers(value, path).flatMap(checkRule) : [{ path, message: "use an object" }],
  );
}

function checkRule({ key, path, value }: Placed & { readonly key: string }): readonly OverrideProblem[] {
  switch (key) {
    case commentKey:
      return [];
    case "prevent_destroy":
      return value === true ? [] : [{ path, message: "protection can be added but not removed; use true or remove the line" }];
    case "create_before_destroy":
      return typeof value === "boolean" ? [] : [{ path, message: "use true or false" }];
    case "ignore_changes":
      if (value === "all" || (Array.isArray(value) && (value as unknown[]).some((each) => each === "all" || each === "*"))) {
        return [{ path, message: "a resource that ignores all changes is not managed; list the attributes to ignore" }];
      }
      return checkReferences({ path, value });
    case "replace_triggered_by":
      return checkReferences({ path, value });
    case "precondition":
    case "postcondition":
      return checkValue({ path, value });
    default:
      return [
        {
          path,
          message: "only create_before_destroy, ignore_changes, prevent_destroy, replace_triggered_by and conditions can be set",
        },
      ];
  }
}
