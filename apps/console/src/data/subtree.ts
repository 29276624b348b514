import type { AnyEntity, KindName, Stored } from "@cloudwright/api-client";
import { childKinds, getKind, kinds } from "@cloudwright/contract/kinds";
import type { LiveState } from "./live-store.ts";

/** An entity with its kind. */
export interface Placed {
  readonly kind: KindName;
  readonly entity: Stored<AnyEntity>;
}

const rootKinds = kinds.filter(({ kind, provisioned }) => provisioned && getKind(kind).parent === undefined);

/** Returns the entities at the top of the tree, sorted by name. */
export function listRoots(state: LiveState["kinds"]): Placed[] {
  return rootKinds
    .flatMap(({ kind }) => [...(state[kind]?.values() ?? [])].map((entity) => ({ kind, entity })))
    .toSorted((a, b) => a.entity.metadata.name.localeCompare(b.entity.metadata.name, "en", { numeric: true }));
}

/** Returns the entities directly below an entity. */
export function childrenOf(state: LiveState["kinds"], parent: Placed): Placed[] {
  const { name } = parent.entity.metadata;
  return childKinds(parent.kind).flatMap(({ kind }) =>
    [...(state[kind as KindName]?.values() ?? [])]
      .filter(({ metadata }) => metadata.parent === name)
      .map((entity) => ({ kind: kind as KindName, entity })),
  );
}

/** Returns everything below an entity, deepest last: what a cascading deletion also deletes. */
export function subtreeOf(state: LiveState["kinds"], root: Placed): Placed[] {
  const children = childrenOf(state, root);
  return [...children, ...children.flatMap((child) => subtreeOf(state, child))];
}
