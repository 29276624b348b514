import type { EntityByKind } from "@cloudwright/api-client";
import { subjectOf } from "./subject-of.ts";

const actions: Readonly<Record<string, string>> = {
  adopt: "Adopt a resource into",
  check: "Check for drift in",
  correct: "Correct drift in",
  forget: "Forget a resource of",
  preflight: "Run preflight checks for",
};

/** Describes an operation in a few words, such as "Create main". `nounOf` adds the kind of the entity: "Create network main". */
export function describeOperation(spec: EntityByKind["Operation"]["spec"], nounOf?: (kind: string) => string): string {
  const { verb = "", deletion = false } = spec ?? {};
  const action = deletion ? "Preview the deletion of" : (actions[verb] ?? verb.charAt(0).toUpperCase() + verb.slice(1));
  const { kind, name } = subjectOf(spec);
  return [action, ...(nounOf === undefined ? [] : [nounOf(kind)]), name].join(" ");
}
