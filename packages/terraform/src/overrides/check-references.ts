import { deniedRoots } from "./check-template.ts";
import { listPlaced, type Placed } from "./json-blocks.ts";
import type { OverrideProblem } from "./override-problem.ts";

const traversal =
  /^[\p{ID_Start}_][\p{ID_Continue}-]*(\.[\p{ID_Start}_][\p{ID_Continue}-]*|\[(\d+|"[^"\\$%]*"|each\.key|count\.index)\])*$/u;

/** Returns the problems in a string that must be a reference, as in `depends_on`. */
export function checkReference(text: string): readonly string[] {
  if (!traversal.test(text))
    return [`${JSON.stringify(text.slice(0, 80))} is not a plain reference such as TYPE.NAME or tags["owner"]`];
  const [root = ""] = text.split(/[.[]/);
  return deniedRoots.has(root) ? [`references to ${root} are not allowed; refer to resources in the configuration`] : [];
}

export function checkReferences(placed: Placed): readonly OverrideProblem[] {
  return listPlaced(placed).flatMap(({ path, value }) => {
    if (typeof value !== "string") return [{ path, message: "a reference must be a string such as TYPE.NAME" }];
    return checkReference(value).map((message) => ({ path, message }));
  });
}
