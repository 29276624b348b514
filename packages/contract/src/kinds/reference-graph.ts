import type { Kind, KindDeclaration, KindReference } from "./kind.ts";

/** Returns a kind with its parent: the owning reference that the tree shows. The first one stands for alternatives. */
export function withParent<Declaration extends KindDeclaration>(declaration: Declaration): Declaration & Kind {
  const owner = listOwners(declaration)[0];
  if (owner === undefined) return declaration;
  return { ...declaration, parent: { kind: owner.kind, field: owner.field === namedInPath ? undefined : owner.field } };
}

/** The field of a reference that the URL holds instead of the spec. */
export const namedInPath = "path";

/** Returns the owning references of a kind that the tree shows; more than one are alternatives. */
export function listOwners({ references }: KindDeclaration): readonly KindReference[] {
  return references.filter(({ owning, defaultsToCaller = false }) => owning && !defaultsToCaller);
}

/** Returns the references of a kind that are neither owning nor about the calling user, such as an instance's security groups. */
export function listLinks({ references }: KindDeclaration): readonly KindReference[] {
  return references.filter(({ owning, defaultsToCaller = false }) => !owning && !defaultsToCaller);
}

/** Returns the kinds among these that may reference a kind, each once. */
export function listReferrers<Declaration extends KindDeclaration>(all: readonly Declaration[], kind: string): Declaration[] {
  return all.filter(({ references }) => references.some((reference) => reference.kind === kind));
}

/**
 * Orders kinds so that each comes after every kind it references: the order of creation; reversed, the order of deletion. References of a
 * kind to itself do not count. Throws if kinds reference each other in a circle, because then none of them could be created first.
 */
export function orderByReferences<Declaration extends KindDeclaration>(all: readonly Declaration[]): Declaration[] {
  const ordered: Declaration[] = [];
  let waiting = [...all];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ kind }) => kind));
    const isFree = ({ kind, references }: Declaration): boolean =>
      references.every((reference) => reference.kind === kind || !names.has(reference.kind));
    const free = waiting.filter(isFree);
    if (free.length === 0) throw new Error(`these kinds reference each other: ${[...names].join(", ")}`);
    ordered.push(...free);
    waiting = waiting.filter((one) => !free.includes(one));
  }
  return ordered;
}

/** Returns the names that a spec holds at a reference's field, in the spec's order and without empty ones. */
export function listNames(spec: unknown, { field }: Pick<KindReference, "field">): string[] {
  let values: unknown[] = [spec];
  for (const part of field.split(".")) values = values.flatMap((value) => (isRecord(value) ? [value[part]].flat() : []));
  return values.filter((value) => typeof value === "string" && value !== "") as string[];
}

/** Returns a spec whose names at a reference's field are replaced one by one. */
export function replaceNames<Spec>(spec: Spec, { field }: Pick<KindReference, "field">, replace: (name: string) => string): Spec {
  const visit = (value: unknown, parts: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => visit(item, parts));
    const [part, ...rest] = parts;
    if (part === undefined) return typeof value === "string" && value !== "" ? replace(value) : value;
    if (!isRecord(value) || value[part] === undefined) return value;
    return { ...value, [part]: visit(value[part], rest) };
  };
  return visit(spec, field.split(".")) as Spec;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
