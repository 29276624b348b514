import { deniedRoots } from "./check-template.ts";
import { listPlaced, type Placed } from "./json-blocks.ts";
import type { OverrideProblem } from "./override-problem.ts";

const traversal =
  /^[\p{ID_Start}_][\p{ID_Continue}-]*(\.[\p{ID_Start}_][\p{ID_Continue}-]*|\[(\d+|"[^"\\$%]*"|each\.key|count\.index)\])*$/u;

/** What is wrong with a text that stands for a reference by itself, as in `depends_on`. */
export function checkReference(text: string): readonly string[] {
  if (!traversal.test(text))
    return [`${JSON.stringify(text.slice(0, 80))} is not a plain reference such as aws_vpc.main or tags["owner"]`];
  const [root = ""] = text.split(/[.[]/);
  return deniedRoots.has(root) ? [`references to ${root} are refused; refer to resources of the configuration`] : [];
}

/** What is refused in a list of references. */
export function checkReferences(placed: Placed): readonly OverrideProblem[] {
  return listPlaced(placed).flatMap(({ path, value }) => {
    if (typeof value !== "string") return [{ path, message: "a reference is a text, such as aws_vpc.main" }];
    return checkReference(value).map((message) => ({ path, message }));
  });
}
