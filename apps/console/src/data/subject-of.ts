import type { EntityByKind } from "@cloudwright/api-client";

/** Returns the entity an operation is about. A preflight or preview is about the entity it checks, not about its parent. */
export function subjectOf(spec: EntityByKind["Operation"]["spec"]): { readonly kind: string; readonly name: string } {
  const { entityKind = "", entityName = "", candidateKind = "", candidateName = "" } = spec ?? {};
  return candidateName === ""
    ? { kind: entityKind, name: entityName }
    : { kind: candidateKind || "Cluster", name: candidateName };
}
