import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "../faults.ts";
import type { AttributePath } from "../reading/changed-paths.ts";

/** Parses an attribute path in configuration syntax: `tags["owner"]`, `scaling_config[0].desired_size`. */
export function parseAttributePath(text: string): AttributePath {
  const step =
    /(?:(?<!^)\.|^)(?<name>[\p{ID_Start}_][\p{ID_Continue}-]*)|\[(?:(?<index>\d{1,9})|(?<key>"(?:[^"\\]|\\["\\])*"))\]/uy;
  const path: (string | number)[] = [];
  while (step.lastIndex < text.length) {
    const found = step.exec(text)?.groups;
    // A path starts with a name, and keys must not contain templates.
    if (found === undefined || (path.length === 0 && found["name"] === undefined) || /[$%]\{/.test(found["key"] ?? "")) {
      throw new Fault(terraformFaults.bad_option, `${JSON.stringify(text)} is not a path in a resource, such as tags["owner"]`);
    }
    if (found["name"] !== undefined) path.push(found["name"]);
    else path.push(found["index"] === undefined ? (JSON.parse(found["key"] as string) as string) : Number(found["index"]));
  }
  if (path.length === 0) throw new Fault(terraformFaults.bad_option, "a path in a resource must not be empty");
  return path;
}
