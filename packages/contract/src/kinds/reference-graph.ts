import type { Kind, KindDeclaration, KindReference } from "./kind.ts";

/** Adds the parent to a kind. If the kind has several owning references, the first one determines the parent. */
export function withParent<Declaration extends KindDeclaration>(declaration: Declaration): Declaration & Kind {
  const owner = listOwners(declaration)[0];
  if (owner === undefined) return declaration;
  return { ...declaration, parent: { kind: owner.kind, field: owner.field === namedInPath ? undefined : owner.field } };
}

/** Marks a reference whose target is named in the URL instead of the spec. */
export const namedInPath = "path";

/** Returns the owning references of a kind, except those that default to the caller. An entity sets exactly one of them. */
export function listOwners({ references }: KindDeclaration): readonly KindReference[] {
  return references.filter(({ owning, defaultsToCaller = false }) => owning && !defaultsToCaller);
}

/** Returns the references of a kind that neither own the entity nor default to the caller, such as an instance's security groups. */
export function listLinks({ references }: KindDeclaration): readonly KindReference[] {
  return references.filter(({ owning, defaultsToCaller = false }) => !owning && !defaultsToCaller);
}

/** Returns the kinds that can reference `kind`. */
export function listReferrers<Declaration extends KindDeclaration>(all: readonly Declaration[], kind: string): Declaration[] {
  return all.filter(({ references }) => references.some((reference) => reference.kind === kind));
}

/**
 * Sorts kinds so that each comes after the kinds it references. Entities are created in this order and deleted in reverse order. References
 * of a kind to itself are ignored. Throws if other references form a cycle.
 */
export function orderByReferences<Declaration extends KindDeclaration>(all: readonly Declaration[]): Declaration[] {
  const ordered: Declaration[] = [];
  let waiting = [...all];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ kind }) => kind));
    const isFree = ({ kind, references }: Declaration): boolean =>
      references.every((reference) => reference.kind === kind || !names.has(reference.kind));
    const free = waiting.filter(isFree);
    if (free.length === 0) throw new Error(`these kinds form a reference cycle: ${[...names].join(", ")}`);
    ordered.push(...free);
    waiting = waiting.filter((one) => !free.includes(one));
  }
  return ordered;
}

/**
 * Returns the non-empty names in a spec's reference field, in the order in which the spec lists them. Omits the word that stands for the
 * entity itself.
 */
export function listNames(spec: unknown, { field, selfWord = "" }: Pick<KindReference, "field" | "selfWord">): string[] {
  let values: unknown[] = [spec];
  for (const part of field.split(".")) values = values.flatMap((value) => (isRecord(value) ? [value[part]].flat() : []));
  return values.filter((value) => typeof value === "string" && value !== "" && value !== selfWord) as string[];
}

/** Returns a copy of a spec with every name in a reference field replaced. */
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
