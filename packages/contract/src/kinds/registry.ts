import { declaredKinds, type KindName } from "./all.ts";
import type { Kind } from "./kind.ts";
import { listLinks, listReferrers, withParent } from "./reference-graph.ts";

/** All kinds of entities. Each kind comes after the kinds it references. */
export const kinds: readonly (Kind & { readonly kind: KindName; readonly words: readonly [string, ...string[]] })[] =
  declaredKinds.map(withParent);

const byName: ReadonlyMap<string, Kind> = new Map(kinds.map((kind) => [kind.kind, kind]));

/** Returns the kind with this name. Throws if there is none, which is a programming error. */
export function getKind(name: string): Kind {
  const kind = byName.get(name);
  if (kind === undefined) throw new Error(`unknown kind ${name}`);
  return kind;
}

/** Returns whether the name is that of an entity kind. Events, tokens and runs are not entities. */
export function isEntityKind(name: string): boolean {
  return byName.has(name);
}

/** Finds a kind by name, collection or command-line word, ignoring case. Returns undefined if none matches. */
export function findKind(word: string): Kind | undefined {
  const lower = word.toLowerCase();
  return kinds.find((kind: Kind) => kind.kind.toLowerCase() === lower || kind.collection === lower || kind.words.includes(lower));
}

/** Returns the kinds whose parent is this kind. */
export function childKinds(name: string): readonly Kind[] {
  return listReferrers(kinds, name).filter((kind: Kind) =>
    kind.references.some((reference) => reference.kind === name && reference.owning && reference.defaultsToCaller !== true),
  );
}

/** A kind whose entities are built by their owner's runs, such as node pools. */
export type PartKind = Kind & Required<Pick<Kind, "builtByOwnerAs" | "parent">>;

export const partKinds: readonly PartKind[] = (kinds as readonly Kind[]).filter(
  (kind): kind is PartKind => kind.builtByOwnerAs !== undefined && kind.parent !== undefined,
);

/** True if any kind links to another. Otherwise, database queries skip links. */
export const hasLinks: boolean = kinds.some((kind: Kind) => listLinks(kind).length > 0);

/** Returns whether any kind can link to this one. */
export function isLinkable(name: string): boolean {
  return kinds.some((kind: Kind) => listLinks(kind).some((link) => link.kind === name));
}

/** Returns whether the URL names the parent of this kind's entities. If so, their names are unique only within the parent. */
export function isNamedBelow({ parent }: Kind): boolean {
  return parent !== undefined && parent.field === undefined;
}
