import type { AnyEntity, KindName, Stored } from "@cloudwright/api-client";
import {
  childKinds,
  getKind,
  kinds,
  listLinks,
  listNames,
  listOwners,
  listReferrers,
  namedInPath,
} from "@cloudwright/contract/kinds";
import type { LiveState } from "./live-store.ts";

/** An entity with its kind. */
export interface Placed {
  readonly kind: KindName;
  readonly entity: Stored<AnyEntity>;
}

const rootKinds = kinds.filter(({ kind, provisioned }) => provisioned && listOwners(getKind(kind)).length === 0);

/** Returns the kind and the name or uid of an entity's owner, or undefined if it has no owner. */
export function findOwner(kind: string, entity: AnyEntity): { readonly kind: KindName; readonly name: string } | undefined {
  const owners = listOwners(getKind(kind));
  const parent = entity.metadata?.parent ?? "";
  for (const reference of owners) {
    const name = reference.field === namedInPath ? parent : listNames(entity.spec, reference)[0];
    if (name !== undefined && name !== "") return { kind: reference.kind as KindName, name };
  }
  return owners[0] === undefined ? undefined : { kind: owners[0].kind as KindName, name: parent };
}

/** Returns the root entities of the tree, sorted by name. */
export function listRoots(state: LiveState["kinds"]): Placed[] {
  return rootKinds
    .flatMap(({ kind }) => [...(state[kind]?.values() ?? [])].map((entity) => ({ kind, entity })))
    .toSorted((a, b) => a.entity.metadata.name.localeCompare(b.entity.metadata.name, "en", { numeric: true }));
}

/** Returns the children of an entity. */
export function childrenOf(state: LiveState["kinds"], parent: Placed): Placed[] {
  const { name } = parent.entity.metadata;
  return childKinds(parent.kind).flatMap(({ kind }) =>
    [...(state[kind as KindName]?.values() ?? [])]
      .filter((entity) => entity.metadata.parent === name && findOwner(kind, entity)?.kind === parent.kind)
      .map((entity) => ({ kind: kind as KindName, entity })),
  );
}

/** Returns all descendants of an entity, deepest last. A cascading deletion deletes these too. */
export function subtreeOf(state: LiveState["kinds"], root: Placed): Placed[] {
  const children = childrenOf(state, root);
  return [...children, ...children.flatMap((child) => subtreeOf(state, child))];
}

/** Returns the entities that this entity links to, and those that link to it, each once. Owning references are not included. */
export function listLinked(state: LiveState["kinds"], { kind, entity }: Placed): Placed[] {
  const named = listLinks(getKind(kind)).flatMap((reference) =>
    listNames(entity.spec, reference).flatMap((name) => findByName(state, reference.kind as KindName, name) ?? []),
  );
  const naming = listReferrers(kinds, kind).flatMap((referrer) =>
    [...(state[referrer.kind]?.values() ?? [])]
      .filter(({ spec }) =>
        listLinks(referrer)
          .filter((reference) => reference.kind === kind)
          .some((reference) => listNames(spec, reference).some((name) => isNamed(entity, name))),
      )
      .map((found): Placed => ({ kind: referrer.kind, entity: found })),
  );
  // Several rules of a security group can name the same group, and two groups can name each other.
  return [...new Map([...named, ...naming].map((placed) => [placed.entity.metadata.uid, placed])).values()];
}

export function findByName(state: LiveState["kinds"], kind: KindName, name: string): Placed | undefined {
  const entity = [...(state[kind]?.values() ?? [])].find((each) => isNamed(each, name));
  return entity === undefined ? undefined : { kind, entity };
}

function isNamed({ metadata }: Stored<AnyEntity>, name: string): boolean {
  return metadata.name === name || metadata.uid === name;
}
