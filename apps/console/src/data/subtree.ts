import type { AnyEntity, KindName, Stored } from "@cloudwright/api-client";
import { childKinds } from "@cloudwright/contract/kinds";
import type { LiveState } from "./live-store.ts";

/** An entity with its kind. */
export interface Placed {
  readonly kind: KindName;
  readonly entity: Stored<AnyEntity>;
}

/** Returns the entities directly below an entity. */
export function childrenOf(kinds: LiveState["kinds"], parent: Placed): Placed[] {
  const { name } = parent.entity.metadata;
  return childKinds(parent.kind).flatMap(({ kind }) =>
    [...(kinds[kind as KindName]?.values() ?? [])]
      .filter(({ metadata }) => metadata.parent === name)
      .map((entity) => ({ kind: kind as KindName, entity })),
  );
}

/** Returns everything below an entity, deepest last: what a cascading deletion also deletes. */
export function subtreeOf(kinds: LiveState["kinds"], root: Placed): Placed[] {
  const children = childrenOf(kinds, root);
  return [...children, ...children.flatMap((child) => subtreeOf(kinds, child))];
}
