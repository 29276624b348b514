import type { EntityByKind } from "@cloudwright/api-client";

/** Returns the entity that an operation is about. For a preflight or preview, that is the entity being checked, not its parent. */
export function subjectOf(spec: EntityByKind["Operation"]["spec"]): { readonly kind: string; readonly name: string } {
  const { entityKind = "", entityName = "", candidateKind = "", candidateName = "" } = spec ?? {};
  return candidateName === ""
    ? { kind: entityKind, name: entityName }
    : { kind: candidateKind || "Cluster", name: candidateName };
}
