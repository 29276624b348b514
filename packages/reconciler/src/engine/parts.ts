import { getKind, partKinds, type PartField } from "@cloudwright/contract";
import type { Part } from "./scope.ts";

/** Groups parts by the payload field of their kind. Fields without parts are empty lists. */
export function groupParts<Rendered>(
  parts: readonly Part[],
  render: (part: Part) => Rendered,
): Readonly<Record<PartField, Rendered[]>> {
  const fields = partKinds.map(({ builtByOwnerAs: field }) => {
    const own = parts.filter(({ kind }) => getKind(kind).builtByOwnerAs === field);
    return [field, own.map(render)] as const;
  });
  return Object.fromEntries(fields) as Record<PartField, Rendered[]>;
}
