import { declaredKinds, type KindName } from "./all.ts";
import type { Kind } from "./kind.ts";
import { listLinks, listReferrers, withParent } from "./reference-graph.ts";

/** Every kind of entity, each after the kinds it references. */
export const kinds: readonly (Kind & { readonly kind: KindName; readonly words: readonly [string, ...string[]] })[] =
  declaredKinds.map(withParent);

const byName: ReadonlyMap<string, Kind> = new Map(kinds.map((kind) => [kind.kind, kind]));

/** Returns the kind of that name. Throws if there is none, which is a programming error. */
export function getKind(name: string): Kind {
  const kind = byName.get(name);
  if (kind === undefined) throw new Error(`unknown kind ${name}`);
  return kind;
}

/** Returns whether this is the name of a kind of entity. Events, tokens and runs are not entities. */
export function isEntityKind(name: string): boolean {
  return byName.has(name);
}

/** Returns the kind whose name, collection or word this is, in any case; undefined if there is none. */
export function findKind(word: string): Kind | undefined {
  const lower = word.toLowerCase();
  return kinds.find((kind: Kind) => kind.kind.toLowerCase() === lower || kind.collection === lower || kind.words.includes(lower));
}

/** Returns the kinds directly below this one in the tree. */
export function childKinds(name: string): readonly Kind[] {
  return listReferrers(kinds, name).filter((kind: Kind) =>
    kind.references.some((reference) => reference.kind === name && reference.owning && reference.defaultsToCaller !== true),
  );
}

/** A kind whose entities are built by the runs of their owner, such as the node pools of a cluster. */
export type PartKind = Kind & Required<Pick<Kind, "builtByOwnerAs" | "parent">>;

/** Every kind whose entities are built by the runs of their owner. */
export const partKinds: readonly PartKind[] = (kinds as readonly Kind[]).filter(
  (kind): kind is PartKind => kind.builtByOwnerAs !== undefined && kind.parent !== undefined,
);

/** Returns whether any kind links to another. Statements leave links out if none does. */
export const hasLinks: boolean = kinds.some((kind: Kind) => listLinks(kind).length > 0);

/** Returns whether entities of some kind may link to those of this one. */
export function isLinkable(name: string): boolean {
  return kinds.some((kind: Kind) => listLinks(kind).some((link) => link.kind === name));
}

/** Returns whether the URL names the entity above those of this kind, so that names are unique only below it. */
export function isNamedBelow({ parent }: Kind): boolean {
  return parent !== undefined && parent.field === undefined;
}
