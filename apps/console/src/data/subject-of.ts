import type { EntityByKind } from "@cloudwright/api-client";

/** What an operation is about: what is looked at before it exists is that, not what it would lie in. */
export function subjectOf(spec: EntityByKind["Operation"]["spec"]): { readonly kind: string; readonly name: string } {
  const { entityKind = "", entityName = "", candidateKind = "", candidateName = "" } = spec ?? {};
  return candidateName === ""
    ? { kind: entityKind, name: entityName }
    : { kind: candidateKind || "Cluster", name: candidateName };
}
